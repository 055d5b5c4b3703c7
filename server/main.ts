/** The program. Loading its code is half of a start, so what was compiled the last time is kept. */
import '#server/private-files.ts'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Beside the packages, and not in the machine's temporary folder, where others could lay out code for us to run.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
await import('#server/listen.ts')
