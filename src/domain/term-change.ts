/** Differences of a contract change, described with the same texts on screens and in mails. */
import type { ContractTerms } from '#domain/fees/annual.ts'
import { groupThousands } from '#domain/money.ts'
import type { UserMode } from '#domain/fees/price-list.ts'

interface ReplacedValue<T> {
  from: T
  to: T
}

/** Null if the term does not change. */
export interface TermChange {
  users: ReplacedValue<number> | null
  user_mode: ReplacedValue<UserMode> | null
  uat: ReplacedValue<0 | 1> | null
  added: string[]
  removed: string[]
}

const toReplacedValue = <T>(from: T, to: T): ReplacedValue<T> | null => (from === to ? null : { from, to })

export const compareTerms = (previousTerms: ContractTerms, nextTerms: ContractTerms): TermChange => ({
  users: toReplacedValue(previousTerms.users, nextTerms.users),
  user_mode: toReplacedValue(previousTerms.user_mode, nextTerms.user_mode),
  uat: toReplacedValue(previousTerms.uat, nextTerms.uat),
  added: nextTerms.modules.filter((code) => !previousTerms.modules.includes(code)),
  removed: previousTerms.modules.filter((code) => !nextTerms.modules.includes(code)),
})

/** Keys of `changes` in `locales/en/dues.json`. */
type ChangeKey =
  | 'users'
  | `mode.${UserMode}`
  | 'uat.added'
  | 'uat.removed'
  | 'added'
  | 'removed'
  | 'addedMany'
  | 'removedMany'

interface ChangePhrase {
  key: `changes.${ChangeKey}`
  values: Record<string, string>
}

const createPhrase = (key: ChangeKey, values: Record<string, string> = {}): ChangePhrase => ({
  key: `changes.${key}`,
  values,
})

/** `12,000`. */
const groupDigits = (count: number) => groupThousands(`${count}.00`).slice(0, -3)

/** Maximum number of modules that are named. */
const maxNamedModules = 2

function describeModules(key: 'added' | 'removed', modules: readonly string[]): ChangePhrase[] {
  if (modules.length === 0) return []
  return modules.length <= maxNamedModules
    ? [createPhrase(key, { modules: modules.join(', ') })]
    : [createPhrase(`${key}Many`, { number: groupDigits(modules.length) })]
}

export function describeTermChange({ users, user_mode: mode, uat, added, removed }: TermChange): ChangePhrase[] {
  return [
    ...(users ? [createPhrase('users', { from: groupDigits(users.from), to: groupDigits(users.to) })] : []),
    ...(mode ? [createPhrase(`mode.${mode.to}`)] : []),
    ...(uat ? [createPhrase(uat.to === 1 ? 'uat.added' : 'uat.removed')] : []),
    ...describeModules('added', added),
    ...describeModules('removed', removed),
  ]
}
