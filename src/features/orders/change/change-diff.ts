/** What a change of a contract is, beside what was agreed before. */
import type { Choice } from '#domain/fees/annual.ts'

export interface Difference {
  user_mode: boolean
  users: boolean
  uat: boolean
  added: string[]
  removed: string[]
}

export function differenceOf(before: Choice, after: Choice): Difference {
  return {
    user_mode: before.user_mode !== after.user_mode,
    users: before.users !== after.users,
    uat: before.uat !== after.uat,
    added: after.modules.filter((code) => !before.modules.includes(code)),
    removed: before.modules.filter((code) => !after.modules.includes(code)),
  }
}

export const isNothing = ({ user_mode, users, uat, added, removed }: Difference): boolean =>
  !user_mode && !users && !uat && added.length === 0 && removed.length === 0
