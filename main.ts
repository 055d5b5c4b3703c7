/** Starts the server. Loading its code takes half of the start time, so compiled code is cached. */
import '#server/config/private-files.ts'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Compiled code is stored in `node_modules`. In the system's temporary folder, other users could place code for the server.
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'))
const { listen, work } = await import('#server/composition/listen.ts')
const start = process.argv[2] === 'worker' ? work : listen
await start({
  loadDemo: async () => (await import('#demo/demo.ts')).demo,
  hostedProgram: fileURLToPath(import.meta.resolve('#demo/sample-instance/main.ts')),
})
