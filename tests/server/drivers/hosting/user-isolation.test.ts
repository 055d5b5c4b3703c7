/** Tests services that run as separate users, which needs root on Linux: they cannot access anything else, and all features work. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { InstanceRecord, InstanceTaskRecord } from '#server/drivers/hosting/local/instances/files.ts'
import {
  canChangeUser,
  findIsolationProblem,
  openUserPool,
} from '#server/drivers/hosting/local/instances/user-isolation.ts'
import {
  sendRequest,
  waitUntilHealthy,
  type LocalUnderTest,
  openLocalHosting,
  findSupervisors,
  findTasks,
  waitUntil,
} from '#tests/support/hosting/hosting.ts'
import { packApp } from '#tests/support/uploads/packages.ts'

vi.setConfig({ testTimeout: 60_000 })

const withFence = (fence: number) => ({ fence })
/** User ids of this test process, different from those of other test processes on the machine. */
const users = { first: 1_000_000 + process.pid * 16, last: 1_000_000 + process.pid * 16 + 15 }
const [shopRef, otherRef] = [
  { serviceId: 1, code: 'shop1' },
  { serviceId: 2, code: 'other' },
] as const
const program = fileURLToPath(import.meta.resolve('#demo/sample-instance/main.ts'))

const getInstanceDir = ({ folder }: LocalUnderTest, { code, serviceId }: InstanceRef) =>
  join(folder, 'instances', `${code}-${serviceId}`)
const readRecord = (host: LocalUnderTest, ref: InstanceRef) =>
  JSON.parse(readFileSync(join(getInstanceDir(host, ref), 'instance.json'), 'utf8')) as InstanceRecord
const readUser = (host: LocalUnderTest, ref: InstanceRef) => readRecord(host, ref).user ?? 0
const readTasks = (host: LocalUnderTest, ref: InstanceRef) =>
  JSON.parse(readFileSync(join(getInstanceDir(host, ref), 'tasks.json'), 'utf8')) as InstanceTaskRecord[]
const readStatus = (pid: number, field: string) =>
  new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.trim()

async function runInstance({ driver }: LocalUnderTest, ref: InstanceRef) {
  await driver.prepare(ref, { name: ref.code, config: { memoryMb: 0, tasks: 1 } }, withFence(1))
  await driver.setPassword(ref, 'First-pass-1', withFence(1))
  await driver.start(ref, { fresh: false }, withFence(1))
  return await waitUntilHealthy(driver, ref)
}

/** Runs a script as the user, and returns its output and exit code. */
function runAsUser(user: number, script: string) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], {
    uid: user,
    gid: user,
    env: {},
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe.skipIf(!canChangeUser())('local hosting as root', () => {
  let host: LocalUnderTest
  beforeAll(async () => {
    host = openLocalHosting({ users })
    await Promise.all([runInstance(host, shopRef), runInstance(host, otherRef)])
  })
  afterAll(() => host.end())

  it("runs each service as its own user, without other groups and without the portal's environment (fault 15g)", () => {
    const pids = [shopRef, otherRef].map((ref) => readTasks(host, ref)[0]?.pid ?? 0)
    for (const [index, ref] of [shopRef, otherRef].entries()) {
      const pid = pids[index] ?? 0
      const user = readUser(host, ref)
      expect([user >= users.first, user <= users.last]).toEqual([true, true])
      const userIds = Array(4).fill(user).join('\t')
      expect([readStatus(pid, 'Uid'), readStatus(pid, 'Gid'), readStatus(pid, 'Groups')]).toEqual([
        userIds,
        userIds,
        '',
      ])
      expect(readStatus(pid, 'CapEff')).toMatch(/^0+$/)
      const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((pair) => pair.split('=')[0])
      expect(
        names.filter((name) => name !== '' && name !== 'PWD' && name !== '_' && name !== 'OLDPWD' && name !== 'SHLVL'),
      ).toEqual(['HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'])
      const readMode = (...names: string[]) => {
        const { uid, gid, mode } = lstatSync(join(getInstanceDir(host, ref), ...names))
        return [uid, gid, (mode & 0o777).toString(8)]
      }
      expect(readMode()).toEqual([0, user, '710'])
      expect(readMode('data')).toEqual([user, user, '700'])
      expect(readMode('data', 'instance.db')).toEqual([user, user, '600'])
      expect(readMode('logs')).toEqual([0, user, '710'])
      expect(readMode('logs', 'tasks')).toEqual([user, user, '700'])
      expect(readMode('instance.json')).toEqual([0, 0, '600'])
    }
    expect(readUser(host, shopRef)).not.toBe(readUser(host, otherRef))
  })

  it('denies a service access to other services, its host and the portal (fault 15g)', () => {
    const user = readUser(host, shopRef)
    const otherDir = getInstanceDir(host, otherRef)
    const [{ pid, socket } = { pid: 0, socket: '' }] = readTasks(host, otherRef)
    const ownDir = getInstanceDir(host, shopRef)
    expect(runAsUser(user, `cat ${ownDir}/data/instance.db > /dev/null`).status).toBe(0)
    for (const script of [
      `cat ${otherDir}/data/instance.db`,
      `ls ${otherDir}`,
      `ls ${otherDir}/data`,
      `cat ${otherDir}/instance.json`,
      `ls ${host.folder}`,
      `ls ${host.folder}/instances`,
      `ls ${host.folder}/run`,
      `cat ${host.folder}/supervisor.log`,
      `cat ${ownDir}/instance.json`,
      `touch ${ownDir}/instance.json`,
      `touch ${ownDir}/logs/x`,
      `touch ${ownDir}/apps/x`,
      `mv ${ownDir}/data ${ownDir}/data-2`,
      `rm ${dirname(readTasks(host, shopRef)[0]?.socket ?? '')}/s`,
      `cat /proc/${pid}/environ`,
      `ls /proc/${pid}/fd`,
      `head -c 1 /proc/${pid}/mem`,
      `kill -KILL ${pid}`,
      `kill -KILL ${findSupervisors(host.folder)[0]?.pid}`,
      `kill -KILL ${process.pid}`,
    ])
      expect([script, runAsUser(user, script).status === 0]).toEqual([script, false])
    const tryConnect = (path: string) =>
      runAsUser(
        user,
        `${process.execPath} -e "require('net').connect('${path}').on('connect',()=>process.exit(0)).on('error',(e)=>{console.error(e.code);process.exit(1)})"`,
      )
    for (const path of [socket, join(host.folder, 'run', 'supervisor.sock')])
      expect([path, tryConnect(path)]).toEqual([path, { status: 1, stdout: '', stderr: 'EACCES\n' }])
  })

  it('supports passwords, apps, logs, backups and restores (fault 15g)', async () => {
    const { driver } = host
    const { address } = await waitUntilHealthy(driver, shopRef)
    expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
    const bytes = await packApp({ files: { 'data/menus.json': '{"menus": ["own-menu"]}' } })
    const path = join(host.folder, 'pay.mapp')
    writeFileSync(path, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: {} }
    await driver.install(shopRef, [{ ...app, package: { path, sha256 } }], withFence(2))
    await driver.start(shopRef, { fresh: true }, withFence(2))
    await waitUntil('the apps', async () => {
      const cookie = await host.signIn({ ...address, url: address.adminUrl }, 'First-pass-1').catch(() => null)
      return (
        cookie !== null &&
        (await sendRequest(address.adminUrl, '/apps', { headers: { cookie } })).body.includes('own-menu')
      )
    })
    const pieces = await Array.fromAsync(driver.readData(shopRef))
    expect(pieces.filter((piece) => piece.kind === 'table').map(({ name }) => name)).toContain('items')
    await driver.setPassword(shopRef, 'Second-pass-2', withFence(3))
    expect(await host.canSignIn(address, 'Second-pass-2')).toBe(true)
    async function* streamPieces() {
      yield* pieces
    }
    await driver.replaceData(shopRef, streamPieces(), withFence(4))
    await waitUntilHealthy(driver, shopRef)
    expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
    expect(lstatSync(join(getInstanceDir(host, shopRef), readRecord(host, shopRef).data ?? '')).uid).toBe(
      readUser(host, shopRef),
    )
    const lines = await Array.fromAsync(driver.readLog(shopRef, { from: 0, to: Date.now() + 1000 }))
    expect(lines.map(({ text }) => text)).toEqual(expect.arrayContaining(['login of admin', 'data replaced']))
    // The next supervisor takes over the running tasks.
    const [previousTask] = readTasks(host, shopRef)
    for (const { pid } of findSupervisors(host.folder)) process.kill(pid, 'SIGKILL')
    await waitUntilHealthy(driver, shopRef)
    expect(readTasks(host, shopRef)[0]?.pid).toBe(previousTask?.pid)
    expect((await sendRequest(address.url, '/sign-in')).status).toBe(200)
  })

  it('does not follow links to other services, and ends all processes of a service (fault 15g)', async () => {
    const { driver } = host
    const user = readUser(host, otherRef)
    // A process that the service's user started in addition to the task.
    expect(runAsUser(user, `setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo started`).stdout).toBe('started\n')
    await driver.stop(otherRef, withFence(5))
    // Killed processes take a moment to disappear.
    await waitUntil(
      'the end of all',
      () => runAsUser(0, `ps -o stat=,args= -u ${user} | grep -v '^Z'`).stdout.trim() === '',
    )
    const file = join(getInstanceDir(host, otherRef), 'data', 'instance.db')
    for (const name of ['', '-wal', '-shm']) rmSync(`${file}${name}`, { force: true })
    symlinkSync(join(getInstanceDir(host, shopRef), readRecord(host, shopRef).data ?? 'data', 'instance.db'), file)
    await expect(Array.fromAsync(driver.readData(otherRef))).rejects.toThrow()
    await driver.erase(otherRef, withFence(6))
    expect(
      existsSync(join(getInstanceDir(host, shopRef), readRecord(host, shopRef).data ?? 'data', 'instance.db')),
    ).toBe(true)
  })
})

describe.skipIf(!canChangeUser())('local hosting as root on an older folder', () => {
  let host: LocalUnderTest
  afterAll(() => host.end())

  it("takes over services that ran as the portal's user, with their data (fault 15g)", async () => {
    host = openLocalHosting()
    const previousState = await runInstance(host, shopRef)
    expect(readStatus(readTasks(host, shopRef)[0]?.pid ?? 0, 'Uid')).toBe('0\t0\t0\t0')
    await host.driver.close()
    // The supervisor is replaced by one that assigns users, and running tasks are replaced.
    host = openLocalHosting({ folder: host.folder, users })
    await host.driver.look(shopRef)
    const user = await waitUntil('its user', () => readUser(host, shopRef))
    await waitUntil('a task of its user', async () => {
      const [task] = readTasks(host, shopRef)
      return task?.user === user && (await host.driver.look(shopRef))?.healthy
    })
    expect(findTasks(host.folder)).toHaveLength(1)
    expect(readStatus(readTasks(host, shopRef)[0]?.pid ?? 0, 'Uid')).toBe(Array(4).fill(user).join('\t'))
    expect(await host.canSignIn(previousState.address, 'First-pass-1')).toBe(true)
    await host.driver.close()
    // Switching back to the portal's user works too.
    host = openLocalHosting({ folder: host.folder })
    await host.driver.look(shopRef)
    await waitUntil('a task of ours', async () => {
      const [task] = readTasks(host, shopRef)
      return task?.user === undefined && (await host.driver.look(shopRef))?.healthy
    })
    expect(await host.canSignIn(previousState.address, 'First-pass-1')).toBe(true)
  })

  it("finds the reason why services share the portal's user (fault 15g)", () => {
    const closedDir = mkdtempSync(join(tmpdir(), 'closed-'))
    try {
      expect(findIsolationProblem(null, closedDir, program)).toBe('SERVICE_USERS is off')
      expect(findIsolationProblem(users, closedDir, program)).toContain(`other users cannot access ${closedDir}`)
      chmodSync(closedDir, 0o711)
      expect(findIsolationProblem(users, closedDir, program)).toBe(null)
      expect(findIsolationProblem(users, closedDir, join(closedDir, 'none.ts'))).toContain('cannot run the program')
    } finally {
      rmSync(closedDir, { recursive: true })
    }
  })
})

it("Local hosting logs why services share the portal's user (fault 15n)", async () => {
  const warnings: unknown[] = []
  const log = { info: () => undefined, warn: (...line: unknown[]) => void warnings.push(line) }
  const closedDir = mkdtempSync(join(tmpdir(), 'closed-'))
  const host = openLocalHosting({ folder: join(closedDir, 'hosting'), users: { first: 70_000, last: 70_009 }, log })
  try {
    const ref = { serviceId: 1, code: 'shop1' }
    await host.driver.prepare(ref, { name: 'Shop', config: { memoryMb: 0, tasks: 1 } }, { fence: 1 })
    await host.driver.look(ref)
    expect(warnings).toEqual([
      [
        { event: 'service_isolation_missing', problem: expect.stringMatching(/root|cannot/) },
        expect.stringContaining('not isolated'),
      ],
    ])
  } finally {
    await host.end()
    rmSync(closedDir, { recursive: true })
  }
})

it('The user pool never assigns a user twice, and reuses the latest released user last (fault 15g)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'users-'))
  try {
    const pool = openUserPool(folder, { first: 5000, last: 5003 })
    pool.markClaimed(5001)
    expect([pool.claim(), pool.claim()]).toEqual([5000, 5002])
    pool.release(5000)
    expect(openUserPool(folder, { first: 5000, last: 5003 }).claim()).toBe(5003)
    expect([pool.claim(), pool.claim()]).toEqual([5000, 5003])
    expect(() => pool.claim()).toThrow('all 4 users')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
