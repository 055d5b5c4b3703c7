/** The program. Loading its code is half of a start, so what was compiled the last time is kept. */
import '#server/config/private-files.ts'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Beside the packages, and not in the machine's temporary folder, where others could lay out code for us to run.
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'))
const { listen } = await import('#server/composition/listen.ts')
await listen({
  loadDemo: async () => (await import('#demo/demo.ts')).demo,
  hostedProgram: fileURLToPath(import.meta.resolve('#demo/sample-instance/main.ts')),
})
