/** Services as users of their own, where the portal is root on Linux: what they reach, and that all else works as before. */
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
import type { InstanceRef } from '#server/drivers/hosting/driver.ts'
import type { InstanceRecord, TaskRecord } from '#server/drivers/hosting/local/instances/files.ts'
import {
  canChangeUser,
  findIsolationProblem,
  openUserPool,
} from '#server/drivers/hosting/local/instances/user-isolation.ts'
import {
  ask,
  healthy,
  type LocalUnderTest,
  openLocalHosting,
  supervisorsOf,
  tasksOf,
  until,
} from '#tests/support/hosting/hosting.ts'
import { packed } from '#tests/support/uploads/packages.ts'

vi.setConfig({ testTimeout: 60_000 })

const at = (fence: number) => ({ fence })
/** Of this process alone, among all that run on the machine. */
const users = { first: 1_000_000 + process.pid * 16, last: 1_000_000 + process.pid * 16 + 15 }
const [shop, other] = [
  { serviceId: 1, code: 'shop1' },
  { serviceId: 2, code: 'other' },
] as const
const program = fileURLToPath(import.meta.resolve('#demo/sample-instance/main.ts'))

const placeOf = ({ folder }: LocalUnderTest, { code, serviceId }: InstanceRef) =>
  join(folder, 'instances', `${code}-${serviceId}`)
const recordOf = (the: LocalUnderTest, ref: InstanceRef) =>
  JSON.parse(readFileSync(join(placeOf(the, ref), 'instance.json'), 'utf8')) as InstanceRecord
const userOf = (the: LocalUnderTest, ref: InstanceRef) => recordOf(the, ref).user ?? 0
const tasksIn = (the: LocalUnderTest, ref: InstanceRef) =>
  JSON.parse(readFileSync(join(placeOf(the, ref), 'tasks.json'), 'utf8')) as TaskRecord[]
const statusOf = (pid: number, field: string) =>
  new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.trim()

async function run({ driver }: LocalUnderTest, ref: InstanceRef) {
  await driver.prepare(ref, { name: ref.code, config: { memoryMb: 0, tasks: 1 } }, at(1))
  await driver.setPassword(ref, 'First-pass-1', at(1))
  await driver.start(ref, { fresh: false }, at(1))
  return await healthy(driver, ref)
}

/** What a program of that user says and how it ends. */
function asUser(user: number, script: string) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], {
    uid: user,
    gid: user,
    env: {},
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe.skipIf(!canChangeUser())('local hosting as root', () => {
  let the: LocalUnderTest
  beforeAll(async () => {
    the = openLocalHosting({ users })
    await Promise.all([run(the, shop), run(the, other)])
  })
  afterAll(() => the.end())

  it('fault 15g runs each service as a user of its own, who has its data, no groups, and nothing of our environment', () => {
    const pids = [shop, other].map((ref) => tasksIn(the, ref)[0]?.pid ?? 0)
    for (const [nth, ref] of [shop, other].entries()) {
      const pid = pids[nth] ?? 0
      const user = userOf(the, ref)
      expect([user >= users.first, user <= users.last]).toEqual([true, true])
      const four = Array(4).fill(user).join('\t')
      expect([statusOf(pid, 'Uid'), statusOf(pid, 'Gid'), statusOf(pid, 'Groups')]).toEqual([four, four, ''])
      expect(statusOf(pid, 'CapEff')).toMatch(/^0+$/)
      const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((pair) => pair.split('=')[0])
      expect(
        names.filter((name) => name !== '' && name !== 'PWD' && name !== '_' && name !== 'OLDPWD' && name !== 'SHLVL'),
      ).toEqual(['HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'])
      const modeOf = (...names: string[]) => {
        const { uid, gid, mode } = lstatSync(join(placeOf(the, ref), ...names))
        return [uid, gid, (mode & 0o777).toString(8)]
      }
      expect(modeOf()).toEqual([0, user, '710'])
      expect(modeOf('data')).toEqual([user, user, '700'])
      expect(modeOf('data', 'instance.db')).toEqual([user, user, '600'])
      expect(modeOf('logs')).toEqual([0, user, '710'])
      expect(modeOf('logs', 'tasks')).toEqual([user, user, '700'])
      expect(modeOf('instance.json')).toEqual([0, 0, '600'])
    }
    expect(userOf(the, shop)).not.toBe(userOf(the, other))
  })

  it('fault 15g lets a service reach neither another one, nor its host, nor the portal', () => {
    const user = userOf(the, shop)
    const place = placeOf(the, other)
    const [{ pid, socket } = { pid: 0, socket: '' }] = tasksIn(the, other)
    const own = placeOf(the, shop)
    expect(asUser(user, `cat ${own}/data/instance.db > /dev/null`).status).toBe(0)
    for (const script of [
      `cat ${place}/data/instance.db`,
      `ls ${place}`,
      `ls ${place}/data`,
      `cat ${place}/instance.json`,
      `ls ${the.folder}`,
      `ls ${the.folder}/instances`,
      `ls ${the.folder}/run`,
      `cat ${the.folder}/supervisor.log`,
      `cat ${own}/instance.json`,
      `touch ${own}/instance.json`,
      `touch ${own}/logs/x`,
      `touch ${own}/apps/x`,
      `mv ${own}/data ${own}/data-2`,
      `rm ${dirname(tasksIn(the, shop)[0]?.socket ?? '')}/s`,
      `cat /proc/${pid}/environ`,
      `ls /proc/${pid}/fd`,
      `head -c 1 /proc/${pid}/mem`,
      `kill -KILL ${pid}`,
      `kill -KILL ${supervisorsOf(the.folder)[0]?.pid}`,
      `kill -KILL ${process.pid}`,
    ])
      expect([script, asUser(user, script).status === 0]).toEqual([script, false])
    const connect = (path: string) =>
      asUser(
        user,
        `${process.execPath} -e "require('net').connect('${path}').on('connect',()=>process.exit(0)).on('error',(e)=>{console.error(e.code);process.exit(1)})"`,
      )
    for (const path of [socket, join(the.folder, 'run', 'supervisor.sock')])
      expect([path, connect(path)]).toEqual([path, { status: 1, stdout: '', stderr: 'EACCES\n' }])
  })

  it('fault 15g does all that a host does: passwords, apps, logs, backups and restores', async () => {
    const { driver } = the
    const { address } = await healthy(driver, shop)
    expect(await the.canSignIn(address, 'First-pass-1')).toBe(true)
    const bytes = await packed({ files: { 'data/menus.json': '{"menus": ["own-menu"]}' } })
    const path = join(the.folder, 'pay.mapp')
    writeFileSync(path, bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: {} }
    await driver.install(shop, [{ ...app, package: { path, sha256 } }], at(2))
    await driver.start(shop, { fresh: true }, at(2))
    await until('the apps', async () => {
      const cookie = await the.signIn({ ...address, url: address.adminUrl }, 'First-pass-1').catch(() => null)
      return (
        cookie !== null && (await ask(address.adminUrl, '/apps', { headers: { cookie } })).body.includes('own-menu')
      )
    })
    const pieces = await Array.fromAsync(driver.readData(shop))
    expect(pieces.filter((piece) => piece.kind === 'table').map(({ name }) => name)).toContain('items')
    await driver.setPassword(shop, 'Second-pass-2', at(3))
    expect(await the.canSignIn(address, 'Second-pass-2')).toBe(true)
    async function* again() {
      yield* pieces
    }
    await driver.replaceData(shop, again(), at(4))
    await healthy(driver, shop)
    expect(await the.canSignIn(address, 'First-pass-1')).toBe(true)
    expect(lstatSync(join(placeOf(the, shop), recordOf(the, shop).data ?? '')).uid).toBe(userOf(the, shop))
    const lines = await Array.fromAsync(driver.readLog(shop, { from: 0, to: Date.now() + 1000 }))
    expect(lines.map(({ text }) => text)).toEqual(expect.arrayContaining(['login of admin', 'its data was replaced']))
    // The next supervisor takes over what runs.
    const [before] = tasksIn(the, shop)
    for (const { pid } of supervisorsOf(the.folder)) process.kill(pid, 'SIGKILL')
    await healthy(driver, shop)
    expect(tasksIn(the, shop)[0]?.pid).toBe(before?.pid)
    expect((await ask(address.url, '/sign-in')).status).toBe(200)
  })

  it('fault 15g is not led to the data of another service, and leaves no process of one that stops', async () => {
    const { driver } = the
    const user = userOf(the, other)
    // What its user starts beside its task.
    expect(asUser(user, `setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo started`).stdout).toBe('started\n')
    await driver.stop(other, at(5))
    // Killed, and not yet gone for a moment.
    await until('the end of all', () => asUser(0, `ps -o stat=,args= -u ${user} | grep -v '^Z'`).stdout.trim() === '')
    const file = join(placeOf(the, other), 'data', 'instance.db')
    for (const name of ['', '-wal', '-shm']) rmSync(`${file}${name}`, { force: true })
    symlinkSync(join(placeOf(the, shop), recordOf(the, shop).data ?? 'data', 'instance.db'), file)
    await expect(Array.fromAsync(driver.readData(other))).rejects.toThrow()
    await driver.erase(other, at(6))
    expect(existsSync(join(placeOf(the, shop), recordOf(the, shop).data ?? 'data', 'instance.db'))).toBe(true)
  })
})

describe.skipIf(!canChangeUser())('local hosting as root, on a folder of before', () => {
  let the: LocalUnderTest
  afterAll(() => the.end())

  it('fault 15g takes over what ran as the user of the portal, with its data', async () => {
    the = openLocalHosting()
    const before = await run(the, shop)
    expect(statusOf(tasksIn(the, shop)[0]?.pid ?? 0, 'Uid')).toBe('0\t0\t0\t0')
    await the.driver.close()
    // The supervisor leaves to one that gives users; what runs is replaced.
    the = openLocalHosting({ folder: the.folder, users })
    await the.driver.look(shop)
    const user = await until('its user', () => userOf(the, shop))
    await until('a task of its user', async () => {
      const [task] = tasksIn(the, shop)
      return task?.user === user && (await the.driver.look(shop))?.healthy
    })
    expect(tasksOf(the.folder)).toHaveLength(1)
    expect(statusOf(tasksIn(the, shop)[0]?.pid ?? 0, 'Uid')).toBe(Array(4).fill(user).join('\t'))
    expect(await the.canSignIn(before.address, 'First-pass-1')).toBe(true)
    await the.driver.close()
    // And back.
    the = openLocalHosting({ folder: the.folder })
    await the.driver.look(shop)
    await until('a task of ours', async () => {
      const [task] = tasksIn(the, shop)
      return task?.user === undefined && (await the.driver.look(shop))?.healthy
    })
    expect(await the.canSignIn(before.address, 'First-pass-1')).toBe(true)
  })

  it('fault 15g says why services share the user of the portal', () => {
    const closed = mkdtempSync(join(tmpdir(), 'closed-'))
    try {
      expect(findIsolationProblem(null, closed, program)).toBe('SERVICE_USERS is off')
      expect(findIsolationProblem(users, closed, program)).toContain(`other users cannot enter ${closed}`)
      chmodSync(closed, 0o711)
      expect(findIsolationProblem(users, closed, program)).toBe(null)
      expect(findIsolationProblem(users, closed, join(closed, 'none.ts'))).toContain('cannot be run')
    } finally {
      rmSync(closed, { recursive: true })
    }
  })
})

it('fault 15n says in the log of the portal why services share its user', async () => {
  const told: unknown[] = []
  const log = { info: () => undefined, warn: (...line: unknown[]) => void told.push(line) }
  const closed = mkdtempSync(join(tmpdir(), 'closed-'))
  const host = openLocalHosting({ folder: join(closed, 'hosting'), users: { first: 70_000, last: 70_009 }, log })
  try {
    const ref = { serviceId: 1, code: 'shop1' }
    await host.driver.prepare(ref, { name: 'Shop', config: { memoryMb: 0, tasks: 1 } }, { fence: 1 })
    await host.driver.look(ref)
    expect(told).toEqual([
      [{ problem: expect.stringMatching(/root|cannot/) }, 'hosted services share the user of the portal'],
    ])
  } finally {
    await host.end()
    rmSync(closed, { recursive: true })
  }
})

it('fault 15g gives no user twice, and the one that became free last', () => {
  const folder = mkdtempSync(join(tmpdir(), 'users-'))
  try {
    const pool = openUserPool(folder, { first: 5000, last: 5003 })
    pool.keep(5001)
    expect([pool.claim(), pool.claim()]).toEqual([5000, 5002])
    pool.release(5000)
    expect(openUserPool(folder, { first: 5000, last: 5003 }).claim()).toBe(5003)
    expect([pool.claim(), pool.claim()]).toEqual([5000, 5003])
    expect(() => pool.claim()).toThrow('all 4 users')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
