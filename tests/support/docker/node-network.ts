/**
 * A network of virtual machines without the machines: each node has a network namespace with its own address, and this machine is connected
 * to all of them. So several Docker daemons run beside each other and beside that of this machine, and the cable of a node can be pulled.
 * Nothing leads to other networks, so a pull of a missing image fails at once.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export interface NodeNetwork {
  /** Address of this machine, as the nodes reach it. */
  hostAddress: string
  nodes: readonly NetworkNode[]
  close(): void
}

export interface NetworkNode {
  /** Name for `ip netns`. */
  namespace: string
  address: string
  /** Cuts the connection to this machine and to all other nodes. */
  disconnect(): void
  reconnect(): void
}

function runIp(...args: string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')} failed: ${stderr}`)
}

/** Uses a network of 198.18.0.0/15, which is reserved for tests (RFC 2544). Needs root. */
export function createNodeNetwork(count: number): NodeNetwork {
  const prefix = `pc${process.pid}`
  const subnet = findFreeSubnet()
  const hostLink = `${prefix}-h`
  // The bridge has a namespace of its own, because the rules of this machine's firewall apply to bridges too.
  const bridge = `${prefix}-b`
  const namespaces = [bridge]
  function close(): void {
    for (const namespace of namespaces) spawnSync('ip', ['netns', 'del', namespace])
    spawnSync('ip', ['link', 'del', hostLink])
  }
  try {
    runIp('netns', 'add', bridge)
    runIp('-n', bridge, 'link', 'add', 'br0', 'type', 'bridge')
    runIp('-n', bridge, 'link', 'set', 'br0', 'up')
    runIp('link', 'add', hostLink, 'type', 'veth', 'peer', 'name', 'p0', 'netns', bridge)
    runIp('addr', 'add', `${subnet}.254/24`, 'dev', hostLink)
    runIp('link', 'set', hostLink, 'up')
    runIp('-n', bridge, 'link', 'set', 'p0', 'master', 'br0', 'up')
    const nodes = Array.from({ length: count }, (_, index): NetworkNode => {
      const namespace = `${prefix}-${index + 1}`
      const address = `${subnet}.${index + 1}`
      const port = `p${index + 1}`
      runIp('netns', 'add', namespace)
      namespaces.push(namespace)
      runIp('link', 'add', 'eth0', 'netns', namespace, 'type', 'veth', 'peer', 'name', port, 'netns', bridge)
      runIp('-n', namespace, 'link', 'set', 'lo', 'up')
      runIp('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      runIp('-n', namespace, 'link', 'set', 'eth0', 'up')
      runIp('-n', bridge, 'link', 'set', port, 'master', 'br0', 'up')
      return {
        namespace,
        address,
        disconnect: () => runIp('-n', bridge, 'link', 'set', port, 'down'),
        reconnect: () => runIp('-n', bridge, 'link', 'set', port, 'up'),
      }
    })
    return { hostAddress: `${subnet}.254`, nodes, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Removes the networks of processes that were killed. */
export function removeEndedNetworks(): void {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' })
  for (const [, namespace = '', pid = ''] of stdout.matchAll(/^(pc(\d+)-\S+)/gm))
    if (!existsSync(`/proc/${pid}`)) spawnSync('ip', ['netns', 'del', namespace])
}

function findFreeSubnet(): string {
  const routes = readFileSync('/proc/net/fib_trie', 'utf8')
  const start = process.pid % 250
  for (let step = 0; step < 250; step++) {
    const subnet = `198.18.${(start + step) % 250}`
    if (!routes.includes(`${subnet}.`)) return subnet
  }
  throw new Error('no network of 198.18.0.0/16 is free')
}
