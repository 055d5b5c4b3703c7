/** What a change of a contract changes, in the same words on every screen and in every mail. */
import type { Choice } from '#domain/fees/annual.ts'
import { grouped } from '#domain/money.ts'
import type { UserMode } from '#domain/fees/price-list.ts'

interface Replaced<T> {
  from: T
  to: T
}

/** Null: it stays as it is. */
export interface TermChange {
  users: Replaced<number> | null
  user_mode: Replaced<UserMode> | null
  uat: Replaced<0 | 1> | null
  /** Codes of modules. */
  added: string[]
  removed: string[]
}

const replaced = <T>(from: T, to: T): Replaced<T> | null => (from === to ? null : { from, to })

export const compareTerms = (before: Choice, after: Choice): TermChange => ({
  users: replaced(before.users, after.users),
  user_mode: replaced(before.user_mode, after.user_mode),
  uat: replaced(before.uat, after.uat),
  added: after.modules.filter((code) => !before.modules.includes(code)),
  removed: before.modules.filter((code) => !after.modules.includes(code)),
})

/** Keys of `changes` in `locales/en/dues.json`. */
type ChangeKey = 'users' | `mode.${UserMode}` | 'uat.added' | 'uat.removed' | 'added' | 'removed'

interface ChangePhrase {
  key: `changes.${ChangeKey}`
  values: Record<string, string>
}

const phrase = (key: ChangeKey, values: Record<string, string> = {}): ChangePhrase => ({
  key: `changes.${key}`,
  values,
})

/** `12,000`. */
const groupDigits = (count: number) => grouped(`${count}.00`).slice(0, -3)

export function describeTermChange({ users, user_mode: mode, uat, added, removed }: TermChange): ChangePhrase[] {
  return [
    ...(users ? [phrase('users', { from: groupDigits(users.from), to: groupDigits(users.to) })] : []),
    ...(mode ? [phrase(`mode.${mode.to}`)] : []),
    ...(uat ? [phrase(uat.to === 1 ? 'uat.added' : 'uat.removed')] : []),
    ...(added.length > 0 ? [phrase('added', { codes: added.join(', ') })] : []),
    ...(removed.length > 0 ? [phrase('removed', { codes: removed.join(', ') })] : []),
  ]
}
