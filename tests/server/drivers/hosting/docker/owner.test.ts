import Docker from 'dockerode'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claimSwarm, ownerLabel, SwarmError, type SwarmFault } from '#server/drivers/hosting/docker/owner.ts'
import { startSwarmDaemon, type SwarmDaemon } from '#tests/server/drivers/hosting/docker/swarm-daemon.ts'

const address = 'unix:///run/docker.sock'
let daemon: SwarmDaemon
beforeEach(async () => {
  daemon = await startSwarmDaemon()
})
afterEach(() => daemon.close())

const claim = (
  installationId: string,
  prefix = 'portal',
  docker = new Docker({ socketPath: daemon.socketPath }),
  timeoutMs = 5000,
) => claimSwarm({ docker, address, prefix, installationId, timeoutMs })

async function expectRefusal(promise: Promise<unknown>, fault: SwarmFault, message: string | RegExp): Promise<void> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SwarmError)
  expect((error as SwarmError).fault).toBe(fault)
  expect((error as SwarmError).message).toMatch(message)
}

const otherOwner =
  'The Swarm already has the services of another portal under the name portal: set DOCKER_PREFIX to another name, or remove them'

it('the first portal gets the name, and another database is refused until it takes another name', async () => {
  await claim('one')
  await claim('one')
  expect(daemon.configs.get('portal-owner')).toMatchObject({ Labels: { [ownerLabel]: 'one' } })
  await expectRefusal(claim('two'), 'other_owner', otherOwner)
  await claim('two', 'portal-2')
  await claim('one')
})

it('tells whether tasks can get new privileges', async () => {
  const seccomp = 'name=seccomp,profile=default'
  expect(await claim('one')).toEqual({ limitsPrivileges: false })
  daemon.engine.SecurityOptions = [seccomp, 'name=no-new-privileges']
  expect(await claim('one')).toEqual({ limitsPrivileges: true })
  daemon.engine = { ServerVersion: '25.0.0', SecurityOptions: [seccomp] }
  expect(await claim('one')).toEqual({ limitsPrivileges: true })
  daemon.engine.ServerVersion = '24.0.7'
  expect(await claim('one')).toEqual({ limitsPrivileges: false })
})

it('exactly one of several portals that start at the same time gets the name', async () => {
  const results = await Promise.allSettled(['one', 'two', 'three', 'four'].map((id) => claim(id)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const nodes = await Promise.allSettled(['x', 'x', 'x'].map((id) => claim(id, 'nodes')))
  expect(nodes.every(({ status }) => status === 'fulfilled')).toBe(true)
})

it('a config of that name without an owner belongs to somebody else', async () => {
  daemon.configs.set('portal-owner', { Name: 'portal-owner', Labels: {}, Data: 'eA==' })
  await expectRefusal(claim('one'), 'other_owner', otherOwner)
})

it('says what to do if the daemon is no manager of a Swarm', async () => {
  daemon.swarm = { NodeID: '', LocalNodeState: 'inactive', ControlAvailable: false, Error: '', RemoteManagers: null }
  await expectRefusal(
    claim('one'),
    'no_swarm',
    `Docker at ${address} is not in a Swarm: run "docker swarm init" on that machine.`,
  )
  daemon.swarm = { LocalNodeState: 'active', ControlAvailable: false, Error: '' }
  await expectRefusal(claim('one'), 'no_manager', 'is a worker of its Swarm: set DOCKER_HOST to a manager.')
  daemon.swarm = { LocalNodeState: 'locked', ControlAvailable: false, Error: 'Swarm is encrypted' }
  await expectRefusal(claim('one'), 'unreachable', /is not ready \(locked: Swarm is encrypted\)/)
  expect(daemon.configs.size).toBe(0)
})

it('names the reason if the daemon does not answer', async () => {
  const missing = new Docker({ socketPath: `${daemon.socketPath}.none` })
  await expectRefusal(claim('one', 'portal', missing), 'unreachable', /does not answer at .*ENOENT.*: start the daemon/)
  const silent = createServer((socket) => socket.resume())
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const silentDocker = new Docker({ protocol: 'http', host: '127.0.0.1', port })
  await expectRefusal(claim('one', 'portal', silentDocker, 50), 'unreachable', /^Docker does not answer at /)
  await once(silent.close(), 'close')
  const slow = createHttpServer((_, response) => {
    response.write('{"Swarm":')
    const timer = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(timer))
  })
  await once(slow.listen(0, '127.0.0.1'), 'listening')
  const slowDocker = new Docker({ protocol: 'http', host: '127.0.0.1', port: (slow.address() as AddressInfo).port })
  await expectRefusal(claim('one', 'portal', slowDocker, 1000), 'unreachable', /did not complete its answer in time/)
  slow.closeAllConnections()
  await once(slow.close(), 'close')
})
