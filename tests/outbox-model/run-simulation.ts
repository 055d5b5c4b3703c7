/**
 * Runs a history of actions on a real device in the simulated browser. Each commit and each request is checked against the guarantees, and
 * the list on the screen is checked after each action. Finally all faults are removed, the users sign in again, and the effects on the
 * server are compared with all intended writes.
 */
import { listUsers } from '#contract/users.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { signIn, signOut } from '#request/session/sign-in.ts'
import { createBrowser, type ModelTab } from '#tests/outbox-model/browser.ts'
import type { Decision, ModelAction } from '#tests/outbox-model/model-actions.ts'
import {
  createIdSource,
  type Simulation,
  isParked,
  getDatabaseName,
  getTab,
  readOutbox,
  readReceipts,
  readRowIds,
  readSeals,
  users,
  waitsForUser,
  chooseDecision,
  findSignedInUser,
} from '#tests/outbox-model/simulation.ts'
import { createGuaranteeChecker } from '#tests/outbox-model/guarantees.ts'
import { checkEnd, findWrongEffects } from '#tests/outbox-model/verify.ts'
import { createModelServer } from '#tests/outbox-model/server.ts'
// Imported before a simulation begins, because the load time of a module would change the order of events.
import '#local/outbox/row-names.ts'
import { checkView } from '#tests/outbox-model/observation.ts'
import { changeRow, createRow, fixBody, removeRow, sendForm } from '#tests/outbox-model/form-writes.ts'
import { createClock } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'

export interface SimulationResult {
  steps: number
  effects: number
  writes: number
  /** Number of forms whose write was refused, after the last action. */
  forms: number
}

/** Runs the actions. `diesAt` is the step at which the browser is killed. Throws if a guarantee is broken. */
export async function runSimulation(
  actions: readonly ModelAction[],
  { diesAt = null as number | null } = {},
): Promise<SimulationResult> {
  const simulation = createSimulation()
  try {
    await runWork(simulation, () => signInUser(simulation, 0, 1))
    await runWork(simulation, () => list(simulation, 0))
    simulation.browser.steps = 0
    simulation.browser.diesAt = diesAt
    for (const action of actions) {
      await performAction(simulation, action)
      await check(simulation, action)
    }
    const { steps } = simulation.browser
    const forms = simulation.forms.length
    await settle(simulation)
    return {
      steps,
      effects: simulation.server.effects.length,
      writes: simulation.guarantees.intendedWrites.size,
      forms,
    }
  } finally {
    await simulation.browser.close()
  }
}

function createSimulation(): Simulation {
  const newId = createIdSource()
  const clock = createClock()
  const server = createModelServer(clock)
  const browser = createBrowser((sent) => server.respond(sent), clock, newId)
  const guarantees = createGuaranteeChecker(server)
  const simulation: Simulation = { clock, server, browser, guarantees, forms: [], pending: new Set(), newId }
  const originalOnCommit = browser.disk.onCommit
  browser.disk.onCommit = (process, transaction) => {
    const { db, objectStoreNames } = transaction
    // Other transactions cannot have changed these records without a commit, because each change of the outbox locks the whole table.
    for (const user of users.filter((user) => db.name === getDatabaseName(user) && objectStoreNames.contains('outbox')))
      guarantees.onCommit(user, process, {
        outbox: readOutbox(simulation, user),
        receipts: readReceipts(simulation, user),
        seals: readSeals(simulation, user),
        rows: readRowIds(simulation, user),
      })
    originalOnCommit(process, transaction)
  }
  server.onArrival = (items) => guarantees.onArrival(items)
  server.onDeletedKeys = (userId, ids) => {
    for (const { keyId = 0 } of readSeals(simulation, userId))
      if (ids.includes(keyId))
        server.violations.push(`sealing key ${keyId} was deleted before its seal was opened (protocol 30)`)
  }
  return simulation
}

/** Tabs that were open when the work was started. */
const tabsByWork = new WeakMap<Promise<unknown>, readonly ModelTab[]>()

/** Starts the work, and waits until nothing can happen without an advance of the clock. */
async function runWork(simulation: Simulation, work: () => Promise<unknown>): Promise<void> {
  const tabs = [...simulation.browser.tabs]
  const pendingWork = work()
    // Errors are ignored if a tab died, because its work cannot end properly.
    .catch(
      (error: unknown) => void (tabs.some(({ isDead }) => isDead) || simulation.browser.reportedErrors.push(error)),
    )
    .finally(() => simulation.pending.delete(pendingWork))
  simulation.pending.add(pendingWork)
  tabsByWork.set(pendingWork, tabs)
  await simulation.browser.waitUntilQuiet()
}

/** Starts the work and advances the clock until it has ended. */
async function runToEnd(simulation: Simulation, work: () => Promise<unknown>): Promise<void> {
  let isOver = false
  await runWork(simulation, () => work().finally(() => (isOver = true)))
  for (let round = 0; round < 20 && !isOver; round++) await passTime(simulation, 4_000)
}

async function passTime(simulation: Simulation, ms: number): Promise<void> {
  await simulation.clock.advance(ms)
  await simulation.browser.waitUntilQuiet()
}

async function performAction(simulation: Simulation, action: ModelAction): Promise<void> {
  const { browser, server } = simulation
  switch (action.kind) {
    case 'create':
      return await runWork(simulation, () => createRow(simulation, action))
    case 'change':
      return await runWork(simulation, () => changeRow(simulation, action))
    case 'remove':
      return await runWork(simulation, () => removeRow(simulation, action))
    case 'again':
      return await runWork(simulation, () => sendForm(simulation, action.tab))
    case 'decide':
      return await runWork(simulation, () =>
        decide(simulation, getTab(simulation, action.tab), pickEntry(simulation, action), action.decision),
      )
    case 'tick':
      return await runWork(simulation, () => tick(simulation, action.tab, action.immediate))
    case 'list':
      return await runWork(simulation, () => list(simulation, action.tab))
    case 'pass':
      return await passTime(simulation, action.ms)
    case 'line':
      browser.connectionState = action.state
      return
    case 'mood':
      server.mode = action.mood
      return
    case 'behind':
      return server.changeBehind(action.id)
    case 'reload':
      simulation.forms = []
      browser.reload(action.tab)
      return
    case 'leave':
      return await runToEnd(simulation, () => signOutUser(simulation, action))
    case 'come':
      return await runToEnd(simulation, () => signInUser(simulation, action.tab, action.user))
    case 'full':
      browser.disk.isFull = action.full
      return
    case 'closed':
      return browser.disk.closeConnections(getTab(simulation, action.tab))
    case 'freeze':
      return getTab(simulation, action.tab).freeze()
    case 'thaw':
      getTab(simulation, action.tab).thaw()
      return await browser.waitUntilQuiet()
    case 'jump':
      return await passTime(simulation, action.minutes * 60_000)
    case 'dies':
      browser.diesAt = browser.steps + action.after
      return
    case 'revoke':
      return server.revoke()
    case 'kill':
      simulation.forms = []
      return browser.kill()
    case 'late':
      return await browser.deliverLate()
  }
}

function pickEntry(
  simulation: Simulation,
  { at: index, decision }: { at: number; decision: Decision },
): OutboxEntry | undefined {
  const all = readOutbox(simulation, findSignedInUser(simulation) ?? 0)
  const candidates = decision === 'drop' ? all : all.filter(({ state }) => isParked(state))
  return candidates[index % candidates.length]
}

async function decide(
  simulation: Simulation,
  { actions }: ModelTab,
  entry: OutboxEntry | undefined,
  decision: Decision,
): Promise<void> {
  if (!entry) return
  const { intent } = entry
  const write = simulation.guarantees.intendedWrites.get(intent)
  if (decision === 'keepServerValues' || decision === 'drop') {
    // The dependent writes are dropped too. No further question follows, because the outbox page has listed them.
    simulation.guarantees.drop(intent)
    simulation.forms = simulation.forms.filter((otherIntent) => otherIntent !== intent)
    await (decision === 'drop' ? actions.drop(intent) : actions.keepServerValues(intent))
    return
  }
  if (decision === 'fix' && write)
    await actions.fix(intent, {
      ...entry.input,
      ...(write.action === 'delete' ? {} : { body: fixBody(write, intent) }),
    })
  if (decision === 'retry' || decision === 'confirm' || decision === 'keepOwnValues') await actions[decision](intent)
}

async function tick(simulation: Simulation, tabIndex: number, isImmediate: boolean): Promise<void> {
  const tab = getTab(simulation, tabIndex)
  const user = findSignedInUser(simulation)
  const wakes = tab.wakes
  const hasMoreToSend = await sendOutbox(tab.ports, { immediate: isImmediate })
  if (tab.isDead || user === null || findSignedInUser(simulation) !== user) return
  // The sender must either send everything, or return true and request a wake-up (requirement 16).
  const hasUnsent = readOutbox(simulation, user).some(({ state }) => ['waiting', 'sending', 'dropping'].includes(state))
  if (hasUnsent && !hasMoreToSend)
    simulation.guarantees.violations.push('a drain has ended with something to send and did not say so')
  if (hasMoreToSend && tab.wakes === wakes)
    simulation.guarantees.violations.push('a drain left something and armed no trigger')
}

const list = (simulation: Simulation, tab: number) =>
  getTab(simulation, tab).api.call(listUsers, { params: { companyId }, query: { results: 100 } })

async function signOutUser(
  simulation: Simulation,
  { tab, discard: shouldDiscard }: { tab: number; discard: boolean },
): Promise<void> {
  const user = findSignedInUser(simulation)
  if (shouldDiscard && user !== null) simulation.guarantees.discard(user)
  // A sign-out closes the forms of its user.
  simulation.forms = []
  await signOut(getTab(simulation, tab).ports, shouldDiscard)
}

/** Signs a user in. A sign-in needs a connection, so there is one while it runs. */
async function signInUser(simulation: Simulation, tab: number, user: number): Promise<void> {
  const { browser } = simulation
  const previousState = browser.connectionState
  browser.connectionState = 'up'
  const credentials = {
    company: 'acme',
    username: `user${user}@acme.example`,
    password: 'Portal-demo-1',
    language: 'en',
  } as const
  await signIn(getTab(simulation, tab).ports, credentials).finally(() => (browser.connectionState = previousState))
}

async function check(simulation: Simulation, action: ModelAction | null): Promise<void> {
  const broken = [...simulation.guarantees.violations, ...simulation.server.violations, ...findWrongEffects(simulation)]
  if (broken.length > 0) throw new Error(`after ${JSON.stringify(action)}: ${broken.join('; ')}`)
  // On a full disk any operation of the device may fail and report an error, so these errors are ignored.
  const [reportedError] = simulation.browser.reportedErrors.splice(0).filter(() => !simulation.browser.disk.isFull)
  if (reportedError) throw new Error(`after ${JSON.stringify(action)}`, { cause: reportedError })
  await checkView(simulation, getTab(simulation, 0))
}

const roundsToSettle = 40

/** Removes all faults. Then each user with stored data signs in, sends their forms again, and decides about the waiting writes. */
async function settle(simulation: Simulation): Promise<void> {
  const { browser, server } = simulation
  browser.diesAt = null
  browser.disk.isFull = false
  for (const tab of browser.tabs) tab.thaw()
  await passTime(simulation, 120_000)
  // Set after the work in progress has ended, because a sign-in restores the connection state that it found.
  browser.connectionState = 'up'
  server.mode = 'well'
  // The user who was last signed in comes first. Any other user follows only if they have stored data.
  const signedInUser = findSignedInUser(simulation) ?? users[0]
  for (const user of [signedInUser, ...users.filter((candidate) => candidate !== signedInUser)])
    if (user === signedInUser || readOutbox(simulation, user).length + readSeals(simulation, user).length > 0)
      await settleFor(simulation, user)
  await browser.deliverLate()
  await check(simulation, null)
  await runWork(simulation, () => list(simulation, 0))
  for (const write of simulation.guarantees.intendedWrites.values()) checkEnd(simulation, write)
  await checkNothingHangs(simulation)
}

/** Longer than any wait of the request pipeline, in ms, even if the clock was set back by hours. */
const longMs = 24 * 3_600_000

/** Checks that nothing is left after all work: no lock, no open transaction, no timer, and no caller without a response. */
async function checkNothingHangs(simulation: Simulation): Promise<void> {
  for (let round = 0; round < 2; round++) await passTime(simulation, longMs)
  const leftovers = {
    locks: simulation.browser.listLocks(),
    transactions: simulation.browser.disk.countOpen(),
    alarms: simulation.clock.countWaiting(),
    // A caller in a tab that died never gets a response.
    callers: [...simulation.pending].filter((promise) => tabsByWork.get(promise)?.every(({ isDead }) => !isDead))
      .length,
  }
  if (Object.values(leftovers).some((leftover) => (Array.isArray(leftover) ? leftover.length : leftover) > 0))
    throw new Error(`something is left when all is done: ${JSON.stringify(leftovers)}`)
}

async function settleFor(simulation: Simulation, user: number): Promise<void> {
  await runToEnd(simulation, () => signInUser(simulation, 0, user))
  for (let round = 0; round < roundsToSettle; round++) {
    await runWork(simulation, () => tick(simulation, round % 2, true))
    if (round === 0) await simulation.browser.deliverLate()
    for (const _ of simulation.forms.slice()) await runWork(simulation, () => sendForm(simulation, 0))
    if (round > 4) abandonForms(simulation, user)
    for (const entry of readOutbox(simulation, user).filter((candidate) => waitsForUser(simulation, candidate)))
      await runWork(simulation, () => decide(simulation, getTab(simulation, 0), entry, chooseDecision(entry, round)))
    await check(simulation, null)
    if (readOutbox(simulation, user).length === 0 && readSeals(simulation, user).length === 0) return
    await passTime(simulation, 61_000)
  }
  const leftovers = readOutbox(simulation, user).map(
    ({ intent, state, attempts, problem }) => `${intent} ${state} ${attempts} ${problem?.code}`,
  )
  throw new Error(`stuck for ${user}: ${leftovers.join('; ')} ${readSeals(simulation, user).length} seals`)
}

/** Closes the forms of a user whose writes are refused again and again. */
function abandonForms(simulation: Simulation, user: number): void {
  const ownForms = simulation.forms.filter((intent) => simulation.guarantees.intendedWrites.get(intent)?.owner === user)
  for (const intent of ownForms) simulation.guarantees.drop(intent)
  simulation.forms = simulation.forms.filter((intent) => !ownForms.includes(intent))
}
