/* The movie of a shot: an animated PNG, or an MP4 by the program ffmpeg. */
#ifndef JN_CLI_SHOW_MOVIE_H
#define JN_CLI_SHOW_MOVIE_H

#include "show_shot.h"

/* Browsers slow down what has more pictures a second. */
enum { MOVIE_RATE_MAXIMUM = 50 };

bool movie_path_is_video(const char *path); /* .mp4 */

/* Draws all frames of the shot, which has been aimed, `rate` of them a second, to the file. Ctrl-C leaves what stood
   there before. */
ExitCode movie_write(Shot *shot, double rate, const char *path);

#endif
