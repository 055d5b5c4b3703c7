/** Starts the server. Trouble at the start is one clear sentence and exit code 1. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Extensions } from '#server/composition/demo.ts'
import { openCheckpointStore } from '#server/composition/open-checkpoint-store.ts'
import { readBackupSettings } from '#server/config/backup-config.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { readPaymentSettings } from '#server/config/payment-config.ts'
import { buildLog } from '#server/context/log.ts'
import { openDatabase } from '#server/db/open.ts'

/** Serves until a signal ends it. */
export async function listen(extensions: Extensions): Promise<void> {
  try {
    await start(extensions)
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function start({ loadDemo, hostedProgram }: Extensions): Promise<void> {
  const { env, release } = await withPort(process.env)
  const config = readConfig(env)
  const log = buildLog(config.logLevel)
  const payments = readPaymentSettings(process.env, config)
  const backups = readBackupSettings(process.env, config)
  const checkpointStore = openCheckpointStore(readCheckpointSettings(process.env, config))
  // A thread of its own opens the embedded database: meanwhile this one loads the rest.
  const opening = openDatabase(config, log)
  opening.catch(() => undefined)
  const [{ serve }, demo] = await Promise.all([
    import('#server/composition/serve.ts'),
    config.demo ? loadDemo() : Promise.resolve(null),
  ])
  await serve({ config, log, payments, backups, checkpointStore, opening, demo, hostedProgram, release })
}

/**
 * Port 0 is settled before anything is built, because links name the port. It is held until the server takes it, which is
 * seconds later: meanwhile any connection of this machine might be given it.
 */
async function withPort(env: NodeJS.ProcessEnv): Promise<{ env: NodeJS.ProcessEnv; release: () => Promise<void> }> {
  if (env.PORT !== '0') return { env, release: async () => undefined }
  // A start that fails before is over all the same.
  const holder = createServer().unref()
  holder.listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const release = async () => void (await once(holder.close(), 'close'))
  return { env: { ...env, PORT: String(port) }, release }
}
