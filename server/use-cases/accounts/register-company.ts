/** Registers a company with its first user, and sends the activation mail again (portal 5). */
import { environments } from '#domain/access.ts'
import { checkSignup, type SignupValues } from '#domain/accounts/signup.ts'
import { normaliseText, cleanText } from '#domain/text.ts'
import { type Language, type UserTitle, userStatus } from '#domain/accounts/users.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findCompanyByCode, insertCompany, type NewCompany } from '#server/db/accounts/companies.ts'
import { type UserCredential, findCredential } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { insertUser } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import {
  hashPassword,
  withQueuePosition,
  unknownCaller,
  verifyPassword,
} from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail, countMails } from '#server/use-cases/mail/request-mail.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { splitUsername } from '#server/use-cases/sessions/sign-in.ts'
import {
  forgiveGuesses,
  reserveGuess,
  type GuessLimits,
  getPasswordLimits,
} from '#server/use-cases/sessions/sign-in-limits.ts'

export interface RegistrationSource {
  address: string
  requestId: string
  language: Language
}

const createDuplicateCodeError = (code: string) => new ProblemError('DUP_CODE', { code })

/**
 * Returns the address of the activation mail. If the same form is sent again, for example because the response was lost, it has no second
 * effect. Until the activation, a caller who knows the password and sends the same values is treated as the one who registered.
 */
export async function registerCompany(
  app: AppContext,
  input: SignupValues,
  source: RegistrationSource,
): Promise<string> {
  if (!app.database.hasFreeSpace()) throw new ProblemError('STORAGE_FULL', null, 60)
  const form = parseSignup(input)
  const now = app.clock()
  const existingCompany = await writeAsSystem(app, async (db) => {
    const company = await findCompanyByCode(db, form.code)
    // Counted before the expensive hashing, which a flood of forms would target.
    if (!company) await countMails(db, { email: form.user_email, sender: { network: source.address }, now })
    return company
  })
  if (existingCompany) return repeatRegistration(app, form, source)
  const password_hash = await hashPassword(form.user_password, app.config.argon2)
  const createdUser = await writeAsSystem(app, (db) => addCompany(db, form, { password_hash, source, now })).catch(
    (error: unknown) => {
      if (error instanceof ProblemError && error.code === 'DUP_CODE') return null
      throw error
    },
  )
  if (createdUser === null) return repeatRegistration(app, form, source)
  notifyJobs(app)
  logSecurityEvent(app.log, 'company_registered', {
    user: createdUser.userId,
    tenant: createdUser.companyId,
    request: source.requestId,
  })
  return form.user_email
}

/** Throws VALIDATION_ERROR, RESERVED_CODE or WEAK_PASSWORD. */
function parseSignup(input: SignupValues): SignupValues {
  const { user_password, confirmPwd: _confirmation, ...texts } = input
  const normalisedTexts = Object.fromEntries(Object.entries(texts).map(([field, value]) => [field, cleanText(value)]))
  const form = { ...input, ...normalisedTexts }
  const problems = checkSignup(form)
  const isReserved = problems.some(({ field, code }) => field === 'code' && code === 'RESERVED')
  if (isReserved && problems.length === 1) throw new ProblemError('RESERVED_CODE', { code: form.code })
  if (problems.length > 0) throw createValidationProblem(problems, { code: form.code })
  const owner = { companyCode: form.code, companyName: form.name, userName: form.user_name, email: form.user_email }
  requireGoodPassword('user_password', user_password, owner)
  return form
}

interface AddCompanyOptions {
  password_hash: string
  source: RegistrationSource
  now: number
}

/** The first user is the company's admin and has the order right. Throws DUP_CODE. */
async function addCompany(db: DatabaseHandle, form: SignupValues, { password_hash, source, now }: AddCompanyOptions) {
  const companyId = await insertCompany(db, { ...toCompanyProfile(form), create_time: now, update_time: now })
  const userId = await insertUser(db, {
    company_id: companyId,
    title: Number(form.user_title) as UserTitle,
    name: form.user_name,
    email: form.user_email,
    password_hash,
    admin: true,
    orders: true,
    alert: true,
    status: userStatus.deactivated,
    avatar: null,
    language: source.language,
    access_level: environments.production,
    seal_key: createSealKey(),
    change: await takeChangeNumber(db, companyId),
    create_time: now,
    update_time: now,
  })
  await requestMail(db, { companyId, now }, { mail: 'activation', userId })
  await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId: source.requestId }, [
    { code: 'company', operation: 'create', info: { CompanyName: form.name } },
    { code: 'user', operation: 'create', info: { CompanyName: form.name, UserName: form.user_name, UserId: userId } },
  ])
  return { companyId, userId }
}

type CompanyProfile = Omit<NewCompany, 'create_time' | 'update_time'>

function toCompanyProfile(form: SignupValues): CompanyProfile {
  const { country, province, city, addr1, addr2, addr3, tel, email, website } = form
  const optional = { province, city, addr1, addr2, addr3, tel, email, website }
  const optionalValues = Object.fromEntries(Object.entries(optional).map(([field, value]) => [field, value || null]))
  return {
    ...(optionalValues as Record<keyof typeof optional, string | null>),
    code: form.code.toLowerCase(),
    name: form.name,
    country: country === 'CN' || country === 'HK' ? country : null,
  }
}

/**
 * Throws DUP_CODE unless the account still waits for its activation and the form is the same. Throws RATE_LIMITED like every check of a
 * password (S-29).
 */
async function repeatRegistration(
  app: AppContext,
  form: SignupValues,
  { address }: RegistrationSource,
): Promise<string> {
  const now = app.clock()
  const profile = toCompanyProfile(form)
  const email = normaliseText(form.user_email)
  const credential = await writeAsSystem(app, async (db) => {
    const company = await findCompanyByCode(db, form.code)
    const isSame =
      company && Object.entries(profile).every(([field, value]) => company[field as keyof CompanyProfile] === value)
    return isSame ? findCredential(db, profile.code, email) : null
  })
  if (credential?.status !== userStatus.deactivated || credential.userName !== form.user_name)
    throw createDuplicateCodeError(form.code)
  const guessLimits = getPasswordLimits(profile.code, email, { address, isKnown: false })
  const hasPassword = await verifyCredential(app, guessLimits, form.user_password, async () => credential)
  if (!hasPassword) throw createDuplicateCodeError(form.code)
  await writeAsSystem(app, (db) => forgiveGuesses(db, guessLimits, now))
  return credential.email
}

const verifyCredential = (
  app: AppContext,
  guessLimits: GuessLimits,
  password: string,
  find: () => Promise<UserCredential | null>,
) =>
  withQueuePosition(unknownCaller, async (position) => {
    await reserveGuess(app, guessLimits, app.clock(), position)
    const credential = await find()
    const cost = app.config.argon2
    return (await verifyPassword(credential?.passwordHash ?? null, password, { cost, position })) ? credential : null
  })

/**
 * Sends the activation mail again, after a login that was refused because the account is not activated (M25). Throws the problems of a
 * login and of the mail limit, and USER_STATUS_INVALID if the account does not wait for its activation.
 */
export async function resendActivation(
  app: AppContext,
  input: { username: string; password: string },
  source: RegistrationSource,
): Promise<void> {
  const now = app.clock()
  const { companyCode, email } = splitUsername(input.username)
  const guessLimits = getPasswordLimits(companyCode, email, { address: source.address, isKnown: false })
  const credential = await verifyCredential(app, guessLimits, input.password, () =>
    writeAsSystem(app, (db) => findCredential(db, companyCode.toLowerCase(), normaliseText(email))),
  )
  if (!credential) throw new ProblemError('invalid_grant')
  await writeAsSystem(app, (db) => forgiveGuesses(db, guessLimits, now))
  if (credential.status !== userStatus.deactivated) throw new ProblemError('USER_STATUS_INVALID')
  await writeAsSystem(app, async (db) => {
    await countMails(db, { email: credential.email, sender: { network: source.address }, now })
    await requestMail(db, { companyId: credential.companyId, now }, { mail: 'activation', userId: credential.userId })
  })
  notifyJobs(app)
}
