/** The script of the worker in which the engine of a page runs. */

import { type Channel, serve } from "../engine/worker";

serve(self as unknown as Channel);
