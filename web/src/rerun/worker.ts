/** The engine of one core. */

import { type Channel, serve } from "../engine/worker";

serve(self as unknown as Channel);
