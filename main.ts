/** Runs a command of the portal. Loading its code takes half of the start time, so compiled code is cached. */
import '#server/config/private-files.ts'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerExtensions } from '#server/composition/demo.ts'

// Compiled code is stored in `node_modules`. In the system's temporary folder, other users could place code for the server.
enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/compiled'))

const extensions: ServerExtensions = {
  loadDemo: async () => (await import('#demo/demo.ts')).demo,
  hostedProgram: fileURLToPath(import.meta.resolve('#demo/sample-instance/main.ts')),
}

const refuse = (message: string) => {
  console.error(message)
  process.exitCode = 1
}

const [command = 'serve', ...rest] = process.argv.slice(2)
if (rest.length > 0) refuse(`The command ${command} takes no arguments: set environment variables instead.`)
else
  switch (command) {
    case 'serve':
      await (await import('#server/composition/listen.ts')).listen(extensions)
      break
    case 'worker':
      await (await import('#server/composition/listen.ts')).work(extensions)
      break
    case 'migrate':
      await (await import('#server/composition/migrate.ts')).migrateDatabase()
      break
    default:
      refuse(`The command ${JSON.stringify(command.slice(0, 40))} does not exist: use serve, worker or migrate.`)
  }
