/** Creates a data folder from a dump: `DATA_DIR=<empty folder> node server/cli/restore-dump.ts <dump.tar.gz>`. */
import '#server/config/private-files.ts'
import pino from 'pino'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { restoreDump } from '#server/db/embedded/restore-dump.ts'

const [, , path] = process.argv
try {
  const { dataDir } = readConfig(process.env)
  if (!path) throw new StartProblem('The dump is missing. Usage: node server/cli/restore-dump.ts <dump.tar.gz>')
  await restoreDump(dataDir, path, pino({ level: 'warn' }))
  console.log(`The dump ${path} was restored into ${dataDir}.`)
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}
