/* The ten blocks of a tet's stiffness: of the corners (0,0), (1,1), (2,2), (1,0), (2,0), (2,1), (3,0), (3,1), (3,2),
   (3,3), each by rows. The blocks of the fourth corner follow from the others: every row of blocks sums to 0.

   DEFINE_BALANCE_BLOCKS(name, Number) makes the function `name` that fills them in, for one tet or for several side by
   side. */
#ifndef JN_ELASTIC_BALANCE_BLOCKS_H
#define JN_ELASTIC_BALANCE_BLOCKS_H

enum { K00, K11, K22, K10, K20, K21, K30, K31, K32, K33, TET_PAIRS };

#define DEFINE_BALANCE_BLOCKS(name, Number)                                                                            \
    static inline void name(Number blocks[TET_PAIRS][9]) {                                                             \
        for (int i = 0; i < 3; ++i)                                                                                    \
            for (int k = 0; k < 3; ++k) {                                                                              \
                int n = 3 * i + k, t = 3 * k + i;                                                                      \
                blocks[K30][n] = -(blocks[K00][n] + blocks[K10][n] + blocks[K20][n]);                                  \
                blocks[K31][n] = -(blocks[K10][t] + blocks[K11][n] + blocks[K21][n]);                                  \
                blocks[K32][n] = -(blocks[K20][t] + blocks[K21][t] + blocks[K22][n]);                                  \
            }                                                                                                          \
        for (int n = 0; n < 9; ++n)                                                                                    \
            blocks[K33][n] = -(blocks[K30][n] + blocks[K31][n] + blocks[K32][n]);                                      \
    }

#endif
