import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { ServerExtensions } from '#server/composition/demo.ts'
import { openCheckpointStore } from '#server/composition/open-checkpoint-store.ts'
import { readBackupSettings } from '#server/config/backup-config.ts'
import { readCheckpointSettings } from '#server/config/checkpoint-config.ts'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'
import { readPaymentSettings } from '#server/config/payment-config.ts'
import { createLogger } from '#server/context/log.ts'
import { openDatabase } from '#server/db/open.ts'

export async function listen(extensions: ServerExtensions): Promise<void> {
  try {
    await startServer(extensions)
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function startServer({ loadDemo, hostedProgram }: ServerExtensions): Promise<void> {
  const { env, release } = await reservePort(process.env)
  const config = readConfig(env)
  const log = createLogger(config.logLevel)
  const payments = readPaymentSettings(process.env, config)
  const hosting = readHostingSettings(process.env, config)
  const backups = readBackupSettings(process.env, config)
  const checkpointStore = openCheckpointStore(readCheckpointSettings(process.env, config))
  // The embedded database opens in its own thread. Meanwhile this thread loads the other modules.
  const databasePromise = openDatabase(config, log)
  databasePromise.catch(() => undefined)
  const [{ serve }, demo] = await Promise.all([
    import('#server/composition/serve.ts'),
    config.demo ? loadDemo() : Promise.resolve(null),
  ])
  await serve({
    config,
    log,
    payments,
    backups,
    checkpointStore,
    databasePromise,
    demo,
    hostedProgram,
    hosting,
    release,
  })
}

/**
 * Replaces `PORT=0` by a free port before the configuration is read, because links contain the port. The port stays occupied until
 * `release`, so that no other program gets it.
 */
async function reservePort(env: NodeJS.ProcessEnv): Promise<{ env: NodeJS.ProcessEnv; release: () => Promise<void> }> {
  if (env.PORT !== '0') return { env, release: async () => undefined }
  // With unref, a start that fails before `release` still ends.
  const portHolder = createServer().unref()
  portHolder.listen(0, '127.0.0.1')
  await once(portHolder, 'listening')
  const { port } = portHolder.address() as AddressInfo
  const release = async () => void (await once(portHolder.close(), 'close'))
  return { env: { ...env, PORT: String(port) }, release }
}
