/** A company comes in: registered with its first user, and the activation mail sent again to who knows the password (portal 5). */
import { environments } from '#domain/access.ts'
import { checkSignup, type SignupValues } from '#domain/accounts/signup.ts'
import { foldText, tidyText } from '#domain/text.ts'
import { type Language, type Title, userStatus } from '#domain/accounts/users.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { companyByCode, type CompanyRecord, insertCompany } from '#server/db/accounts/companies.ts'
import { type Credential, findCredential } from '#server/db/accounts/credentials.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { insertUser } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword, withPlace, unknownAsker, verifyPassword } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail, countMails } from '#server/use-cases/mail/request-mail.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'
import { newSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { splitUsername } from '#server/use-cases/sessions/sign-in.ts'
import { forgive, reserve, type Tried, triedBy } from '#server/use-cases/sessions/sign-in-limits.ts'

/** Who asks, as far as anybody knows. */
export interface Registrant {
  address: string
  requestId: string
  language: Language
}

const system = { role: 'portal_system' } as const
const taken = (code: string) => new ProblemError('DUP_CODE', { code })

/**
 * Answers where the activation mail goes. The same form again, because its answer was lost, has no second effect and the same
 * answer: until the account is activated, who knows its password and says all the same is who registered it.
 */
export async function registerCompany(app: AppContext, typed: SignupValues, from: Registrant): Promise<string> {
  if (!app.database.hasFreeSpace()) throw new ProblemError('STORAGE_FULL', null, 60)
  const form = checked(typed)
  const now = app.clock()
  const known = await inTransaction(app, system, async (db) => {
    const company = await companyByCode(db, form.code)
    // Before the password is hashed, which is what a flood of forms would be after.
    if (!company) await countMails(db, { email: form.user_email, by: { network: from.address }, now })
    return company
  })
  if (known) return repeated(app, form, from)
  const password_hash = await hashPassword(form.user_password, app.config.argon2)
  const made = await inTransaction(app, system, (db) => add(db, form, { password_hash, from, now })).catch(
    (error: unknown) => {
      // The same form twice at once: the other one was first.
      if (error instanceof ProblemError && error.code === 'DUP_CODE') return null
      throw error
    },
  )
  if (made === null) return repeated(app, form, from)
  notifyJobs(app)
  securityEvent(app.log, 'company registered', { user: made.userId, tenant: made.companyId, request: from.requestId })
  return form.user_email
}

/** Throws VALIDATION_ERROR, RESERVED_CODE and WEAK_PASSWORD. */
function checked(typed: SignupValues): SignupValues {
  const { user_password, confirmPwd: _same, ...words } = typed
  const tidy = Object.fromEntries(Object.entries(words).map(([field, value]) => [field, tidyText(value)]))
  const form = { ...typed, ...tidy }
  const problems = checkSignup(form)
  const reserved = problems.some(({ field, code }) => field === 'code' && code === 'RESERVED')
  if (reserved && problems.length === 1) throw new ProblemError('RESERVED_CODE', { code: form.code })
  if (problems.length > 0) throw invalid(problems, { code: form.code })
  const owner = { companyCode: form.code, companyName: form.name, userName: form.user_name, email: form.user_email }
  requireGoodPassword('user_password', user_password, owner)
  return form
}

interface Adding {
  password_hash: string
  from: Registrant
  now: number
}

/** The first user runs the company: admin, and may order. Throws DUP_CODE. */
async function add(db: Handle, form: SignupValues, { password_hash, from, now }: Adding) {
  const companyId = await insertCompany(db, { ...profileOf(form), create_time: now, update_time: now })
  const userId = await insertUser(db, {
    company_id: companyId,
    title: Number(form.user_title) as Title,
    name: form.user_name,
    email: form.user_email,
    password_hash,
    admin: true,
    orders: true,
    alert: true,
    status: userStatus.deactivated,
    avatar: null,
    language: from.language,
    access_level: environments.production,
    seal_key: newSealKey(),
    change: await takeChange(db, companyId),
    create_time: now,
    update_time: now,
  })
  await askMail(db, { companyId, now }, { mail: 'activation', userId })
  await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: from.requestId }, [
    { code: 'company', operation: 'create', info: { CompanyName: form.name } },
    { code: 'user', operation: 'create', info: { CompanyName: form.name, UserName: form.user_name, UserId: userId } },
  ])
  return { companyId, userId }
}

type Profile = Omit<CompanyRecord, 'id' | 'row_version' | 'create_time' | 'update_time' | 'mfa_required' | 'tax_number'>

function profileOf(form: SignupValues): Profile {
  const { country, province, city, addr1, addr2, addr3, tel, email, website } = form
  const optional = { province, city, addr1, addr2, addr3, tel, email, website }
  const given = Object.fromEntries(Object.entries(optional).map(([field, value]) => [field, value || null]))
  return {
    ...(given as Record<keyof typeof optional, string | null>),
    code: form.code.toLowerCase(),
    name: form.name,
    country: country === 'CN' || country === 'HK' ? country : null,
  }
}

/** Throws DUP_CODE unless it is the same form, and RATE_LIMITED like any other place where a password can be tried (S-29). */
async function repeated(app: AppContext, form: SignupValues, { address }: Registrant): Promise<string> {
  const now = app.clock()
  const profile = profileOf(form)
  const email = foldText(form.user_email)
  const known = await inTransaction(app, system, async (db) => {
    const company = await companyByCode(db, form.code)
    const isSame =
      company && Object.entries(profile).every(([field, value]) => company[field as keyof Profile] === value)
    return isSame ? findCredential(db, profile.code, email) : null
  })
  if (known?.status !== userStatus.deactivated || known.userName !== form.user_name) throw taken(form.code)
  const tried = triedBy(profile.code, email, { address, isKnown: false })
  const fits = await verified(app, tried, form.user_password, async () => known)
  if (!fits) throw taken(form.code)
  await inTransaction(app, system, (db) => forgive(db, tried, now))
  return known.email
}

/** Who it is, if the password is theirs. Throws RATE_LIMITED. */
const verified = (app: AppContext, tried: Tried, password: string, find: () => Promise<Credential | null>) =>
  withPlace(unknownAsker, async (place) => {
    await reserve(app, tried, app.clock(), place)
    const found = await find()
    const cost = app.config.argon2
    return (await verifyPassword(found?.passwordHash ?? null, password, { cost, place })) ? found : null
  })

/** M25: a login that was refused because the account is not activated. Throws as the login does, USER_STATUS_INVALID and RATE_LIMITED. */
export async function resendActivation(
  app: AppContext,
  asked: { username: string; password: string },
  from: Registrant,
): Promise<void> {
  const now = app.clock()
  const { companyCode, email } = splitUsername(asked.username)
  const tried = triedBy(companyCode, email, { address: from.address, isKnown: false })
  const found = await verified(app, tried, asked.password, () =>
    inTransaction(app, system, (db) => findCredential(db, companyCode.toLowerCase(), foldText(email))),
  )
  if (!found) throw new ProblemError('invalid_grant')
  await inTransaction(app, system, (db) => forgive(db, tried, now))
  if (found.status !== userStatus.deactivated) throw new ProblemError('USER_STATUS_INVALID')
  await inTransaction(app, system, async (db) => {
    await countMails(db, { email: found.email, by: { network: from.address }, now })
    await askMail(db, { companyId: found.companyId, now }, { mail: 'activation', userId: found.userId })
  })
  notifyJobs(app)
}
