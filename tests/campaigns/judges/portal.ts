/** One portal with the demo's data behind nginx with TLS, as an operator runs it, for all judges that need one. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type Send, signIn } from '#tests/campaigns/proxies/client.ts'
import { createCertificate, nodeHosts, startProxy } from '#tests/campaigns/proxies/proxy-programs.ts'
import { setUpPrograms } from '#tests/campaigns/judges/tools.ts'
import { type Person, people } from '#tests/support/browser/browser.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { startProcess } from '#tests/support/server/process.ts'

export interface JudgePortal {
  /** `https://localhost:port`, without a trailing slash. */
  url: string
  httpPort: number
  httpsPort: number
  /** Address of the node behind nginx, `http://127.0.0.11:port`. */
  nodeUrl: string
  /** File of the certificate, which signs itself. */
  certificateFile: string
  /** Sends a request through nginx. */
  send: Send
  /** Signs this person of the demo in. Returns a header `authorization`. */
  authorize(person: keyof typeof people): Promise<string>
  /** Sends a request as this person of the demo. */
  sendAs(person: keyof typeof people): Promise<Send>
  close(): Promise<void>
}

/** Attempts to reach the portal, a fifth of a second apart. */
const maxTries = 600
/** Attempts to sign in, five seconds apart, as the portal asks for. */
const maxSignIns = 20

export async function startJudgePortal(folder: string): Promise<JudgePortal> {
  setUpPrograms('--client', '--proxies')
  const [httpPort, httpsPort, nodePort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const url = `https://localhost:${httpsPort}`
  const [proxyFolder, dataDir] = [join(folder, 'proxy'), join(folder, 'data')]
  await mkdir(proxyFolder, { recursive: true })
  await mkdir(dataDir, { recursive: true })
  await createDataFolder(dataDir)
  const certificate = await createCertificate(proxyFolder)
  const settings = {
    DATA_DIR: dataDir,
    HOST: nodeHosts[0],
    PORT: String(nodePort),
    PUBLIC_URL: url,
    FREE_SPACE_MARK_MB: '1',
    FREE_SPACE_MARK_PERCENT: '0',
    // A scanner sends thousands of requests from one address.
    REQUEST_FACTOR: '1000',
  }
  await addDemoData(settings)
  const node = startProcess({ ...settings, PAYMENT_SANDBOX: '0' })
  const setup = { folder: proxyFolder, httpPort, httpsPort, nodePorts: [nodePort, nodePort] as const, healthPort: 0 }
  const proxy = await startProxy('nginx', setup)
  const client = createClient(httpsPort, certificate)
  const { send } = client
  const close = async () => {
    client.close()
    await proxy.stop()
    await node.kill('SIGTERM')
  }
  try {
    await node.ready
    await waitUntilReady(send)
  } catch (error) {
    await close()
    throw new Error(`${String(error)}\n${node.output().slice(-2000)}\n${proxy.output().slice(-2000)}`)
  }
  return {
    url,
    httpPort,
    httpsPort,
    nodeUrl: `http://${nodeHosts[0]}:${nodePort}`,
    certificateFile: join(proxyFolder, 'fullchain.pem'),
    send,
    authorize: (name) => readAuthorization(send, people[name]),
    async sendAs(name) {
      const authorization = await readAuthorization(send, people[name])
      return (path, input = {}) => send(path, { ...input, headers: { authorization, ...input.headers } })
    },
    close,
  }
}

/**
 * Starts the demo once. The portal that is judged runs without the demo, whose payment gateway is a server of its own without TLS that the
 * content security policy must allow.
 */
async function addDemoData(settings: Record<string, string>): Promise<void> {
  const demo = startProcess({ ...settings, DEMO: '1' })
  await demo.ready
  await demo.kill('SIGTERM')
}

/** Tries again while the portal refuses sign-ins because it is busy. */
async function readAuthorization(send: Send, { company, username }: Person): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return `Bearer ${await signIn(send, `${company}:${username}`, {}, people.admin.password)}`
    } catch (error) {
      if (tries === maxSignIns || !String(error).includes('the sign-in returned 503')) throw error
      await wait(5000)
    }
  }
}

async function waitUntilReady(send: Send): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const response = await send('/saas/', { headers: { accept: 'text/html' } }).catch(() => null)
    if (response?.status === 200) return
    await wait(200)
  }
  throw new Error('the portal did not respond behind nginx')
}
