/** The first steps of a new company and of a new provider (decision 112). */
import type { getSetup, hideSetup, SetupStep } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { type Caller, isProvider } from '#domain/access.ts'
import { toPlainDate } from '#domain/time.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { readSetupFacts, writeSetupHidden } from '#server/db/accounts/setup.ts'
import { readAsSystem } from '#server/db/transaction.ts'

/** Age in ms up to which a company is new. */
const newCompanyMs = 90 * 86_400_000

type State = SetupStep['state']

/** Returns no steps if the company is not new. `hostingTimeoutMs`: time in ms after which a platform that has not answered counts as failed. */
export async function readSetup(
  app: AppContext,
  caller: Caller,
  { hostingTimeoutMs = 2000 } = {},
): Promise<OutputOf<typeof getSetup>> {
  const now = app.clock()
  const today = toPlainDate(app.config.timeZone, now)
  const facts = await readAsSystem(app, (db) => readSetupFacts(db, { ...caller, today }))
  const { company } = facts
  const hasAddress = [company?.addr1, company?.addr2, company?.addr3].some((line) => Boolean(line?.trim()))
  const isRecent = company !== null && now - company.create_time <= newCompanyMs
  const hasContract = isProvider(caller) ? facts.hasContractOfAnyCompany : facts.hasContract
  if (!isRecent && hasContract) return { is_new: false, is_hidden: facts.isHidden, steps: [] }
  if (!isProvider(caller))
    return {
      is_new: true,
      is_hidden: facts.isHidden,
      steps: [
        { name: 'address', state: toState(hasAddress) },
        { name: 'colleague', state: toState(facts.hasColleague) },
        { name: 'twoStep', state: toState(facts.hasFactor) },
        { name: 'contract', state: toState(facts.hasContract || facts.hasOrder) },
      ],
    }
  return {
    is_new: true,
    is_hidden: facts.isHidden,
    steps: [
      // Both are printed on invoices, which keep the values of their day.
      { name: 'profile', state: toState(hasAddress && Boolean(company?.tax_number)) },
      { name: 'prices', state: toState(facts.hasPriceList) },
      { name: 'mail', state: toState(app.config.smtpUrl !== null) },
      { name: 'payment', state: toState(app.payments.types.some((type) => type !== 'simulate')) },
      { name: 'image', state: await readHostingState(app, hostingTimeoutMs) },
    ],
  }
}

export const storeSetupHidden: UseCase<typeof hideSetup> = async ({ db, caller }, { body }) => {
  await writeSetupHidden(db, caller, body.hidden)
  return { body: null }
}

const toState = (isDone: boolean): State => (isDone ? 'done' : 'open')

/** Only a Swarm runs an image of the provider: the services of one machine are samples. */
async function readHostingState({ config, hosting }: AppContext, timeoutMs: number): Promise<State> {
  if (config.hosting !== 'docker') return 'open'
  const timeout = Promise.withResolvers<State>()
  const timer = setTimeout(() => timeout.resolve('failed'), timeoutMs)
  const answer = hosting.lookAll().then(
    (): State => 'done',
    (): State => 'failed',
  )
  return Promise.race([answer, timeout.promise]).finally(() => clearTimeout(timer))
}
