/**
 * Tests the proxy configurations of `deploy`: two real portals on one PostgreSQL behind nginx, HAProxy and Caddy, one after the other. Pages,
 * headers, addresses, limits, WebSockets and cut downloads are checked. Then twenty clients send requests while a node stops with
 * SIGTERM (no request may fail) and while a node is killed (every write takes effect once). Missing proxies are installed on Debian if run
 * as root. Another build than `dist` is used with CLIENT_DIR.
 *
 * npm run campaign -- proxies [nginx|haproxy|caddy|all]
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { setDefaultCACertificates, getCACertificates } from 'node:tls'
import {
  type CheckContext,
  checkAddress,
  checkConnections,
  checkCutDownload,
  checkPages,
  checkSocket,
  checkUploads,
} from '#tests/campaigns/proxies/checks.ts'
import { createClient } from '#tests/campaigns/proxies/client.ts'
import { type Load, openLoad } from '#tests/campaigns/proxies/load.ts'
import { prepareNodes } from '#tests/campaigns/proxies/nodes.ts'
import { checkPage } from '#tests/campaigns/proxies/page-check.ts'
import {
  createCertificate,
  type ProxyName,
  type ProxySetup,
  startProxy,
} from '#tests/campaigns/proxies/proxy-programs.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { postgresBin, runAsSuperuser, startCluster } from '#tests/support/server/postgres.ts'

const checks = { checkPages, checkConnections, checkAddress, checkUploads, checkCutDownload, checkSocket }
/** Time in ms within which the proxies notice that a node is back. */
const proxyNoticeMs = 6000
const proxyNames: readonly ProxyName[] = ['nginx', 'haproxy', 'caddy']

export async function run([choice = 'all']: string[]): Promise<void> {
  const options = ['--proxies', '--postgres', '--browser', ...(process.env.CLIENT_DIR ? [] : ['--client'])]
  const setup = spawnSync(process.execPath, [join('scripts', 'setup.mjs'), ...options], { stdio: 'inherit' })
  if (setup.status !== 0) throw new Error('could not set up the proxies')
  const bin = postgresBin()
  if (bin === null) throw new Error('PostgreSQL is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'portal-proxies-'))
  const cluster = await startCluster(bin)
  try {
    await runAsSuperuser(cluster.url, 'postgres', ['create database proxied'])
    const faultCount = await tryProxies({
      names: choice === 'all' ? proxyNames : proxyNames.filter((name) => name === choice),
      folder,
      databaseUrl: `${cluster.url}/proxied`,
    })
    console.log(`  ${faultCount} faults`)
    if (faultCount > 0) process.exitCode = 1
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface ProxiesInput {
  names: readonly ProxyName[]
  folder: string
  databaseUrl: string
}

async function tryProxies({ names, folder, databaseUrl }: ProxiesInput): Promise<number> {
  const certificate = await createCertificate(folder)
  setDefaultCACertificates([...getCACertificates(), certificate])
  const [httpPort, httpsPort, firstPort, secondPort, healthPort] = await findPorts()
  const proxySetup: ProxySetup = { folder, httpPort, httpsPort, nodePorts: [firstPort, secondPort], healthPort }
  const nodes = await prepareNodes({
    folder,
    databaseUrl,
    publicUrl: `https://localhost:${httpsPort}`,
    ports: proxySetup.nodePorts,
    healthPort,
  })
  let faultCount = 0
  try {
    await Promise.all(nodes.nodes.map((node) => node.start()))
    for (const name of names) {
      console.log(name)
      const proxy = await startProxy(name, proxySetup)
      const client = createClient(httpsPort, certificate)
      try {
        const context = { name, send: client.send, nodes, httpPort, httpsPort, certificate }
        await waitForPortal(context).catch((error: unknown) => {
          throw new Error(`${String(error)}: ${proxy.output().slice(-1000)}`)
        })
        const faults = [...(await runChecks(context)), ...(await runStops(context)), ...(await runPage(context))]
        faultCount += faults.length
        for (const fault of faults.slice(0, 20)) console.error(`  ${fault}`)
        if (faults.length > 0) for (const { output } of [proxy, ...nodes.nodes]) console.error(output().slice(-1000))
      } finally {
        client.close()
        await proxy.stop()
      }
    }
  } finally {
    await Promise.all(nodes.nodes.map((node) => node.kill('SIGKILL')))
  }
  return faultCount
}

async function findPorts(): Promise<[number, number, number, number, number]> {
  const ports = new Set<number>()
  while (ports.size < 5) ports.add(await findFreePort())
  return [...ports] as [number, number, number, number, number]
}

async function waitForPortal({ send }: CheckContext): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await send('/saas/', { headers: { accept: 'text/html' } }).catch(() => null)
    if (response?.status === 200) return
    await wait(100)
  }
  throw new Error('the portal did not respond behind the proxy within 10 s')
}

async function runChecks(context: CheckContext): Promise<string[]> {
  const faults: string[] = []
  for (const [name, check] of Object.entries(checks)) {
    const checkFaults = await check(context).catch((error: unknown) => [String(error)])
    faults.push(...checkFaults.map((fault) => `${name}: ${fault}`))
    console.log(`  ${name}: ${checkFaults.length} faults`)
  }
  return faults
}

/** A node stops with a drain, and a node is killed. Each starts again afterwards. */
async function runStops(context: CheckContext): Promise<string[]> {
  const { nodes, httpsPort, certificate } = context
  const [first, second] = nodes.nodes
  const load = await openLoad(httpsPort, certificate, nodes)
  try {
    const drainFaults = await runDuring(load, 'never', 'drain', async () => {
      const code = await first.kill('SIGTERM')
      return code === 0 ? [] : [`the drained node ended with ${code}: ${first.output().slice(-500)}`]
    })
    await first.start()
    await waitForPortal(context)
    await wait(proxyNoticeMs)
    const killFaults = await runDuring(load, 'failed', 'kill', async () => {
      await second.kill('SIGKILL')
      return []
    })
    await second.start()
    return [...drainFaults, ...killFaults, ...(await load.findWrongRows())]
  } finally {
    load.close()
  }
}

/** Both nodes stop, one after the other, while a page is open. */
async function runPage(context: CheckContext): Promise<string[]> {
  const pageFaults = await checkPage(`https://localhost:${context.httpsPort}`, async () => {
    for (const node of context.nodes.nodes) {
      await node.kill('SIGTERM')
      await node.start()
      await wait(proxyNoticeMs)
    }
  }).catch((error: unknown) => [String(error)])
  console.log(`  checkPage: ${pageFaults.length} faults`)
  return pageFaults.map((fault) => `checkPage: ${fault}`)
}

async function runDuring(
  load: Load,
  mode: 'never' | 'failed',
  name: string,
  stop: () => Promise<string[]>,
): Promise<string[]> {
  let isOver = false
  const running = load.run(mode, () => isOver)
  await wait(2000)
  const stopFaults = await stop()
  await wait(3000)
  isOver = true
  const { requests, repeats, faults } = await running
  console.log(`  ${name}: ${requests} requests, ${repeats} repeated, ${faults.length} failed`)
  return [...stopFaults, ...faults.map((fault) => `${name}: ${fault}`)]
}
