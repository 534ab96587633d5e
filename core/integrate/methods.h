/* The variants within the families of methods. */
#ifndef JN_INTEGRATE_METHODS_H
#define JN_INTEGRATE_METHODS_H

enum { SI_PLAIN, SI_SIERE };
enum { BE_PLAIN, BE_BEERE };
enum {
    DIRK_TR_BDF2,
    DIRK_STR_SBDF2,
    DIRK_SDIRK,
    DIRK_SSDIRK,
    DIRK_TR_BDF2ERE,
    DIRK_STR_SBDF2ERE,
    DIRK_SDIRKERE,
    DIRK_SSDIRKERE
};
enum { BDF_BDF2, BDF_SBDF2, BDF_BDF2ERE, BDF_SBDF2ERE };
/* A family's method whose modes are those of another one's. */
struct ModalSplit;
void dirk_borrow_modes(void *dirk, struct ModalSplit *split);

enum { MIDPOINT_TRAPEZOIDAL, MIDPOINT_IMPLICIT };
enum { NEWMARK_AVERAGE, NEWMARK_GENERALIZED_ALPHA };
enum { EXPONENTIAL_ERE, EXPONENTIAL_EXPRB42, EXPONENTIAL_EPIRK4S3, EXPONENTIAL_EPIRK_ADAPTIVE };

#endif
