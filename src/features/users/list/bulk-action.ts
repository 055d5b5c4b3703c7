/** One move on many users: which of them it is for, why not for the others, and each one's own write (portal 4). */
import type { Id } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import { type UserMove, type UserStatus, whyNotMove } from '#domain/accounts/users.ts'
import { usersFills } from '#features/users/list-url.ts'
import { move } from '#features/users/slice.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

/** A user as they were when they were chosen: that is whom a verdict names, whatever becomes of the row. */
export interface Chosen {
  id: Id
  name: string
  email: string
  status: UserStatus
}

export interface Plan {
  go: Chosen[]
  out: { user: Chosen; why: NonNullable<ReturnType<typeof whyNotMove>> }[]
}

export function planOf(what: UserMove, users: readonly Chosen[], by: { self: Id; last: Id | null }): Plan {
  const plan: Plan = { go: [], out: [] }
  for (const user of users) {
    const why = whyNotMove(what, user, { self: user.id === by.self, last: user.id === by.last })
    if (why) plan.out.push({ user, why })
    else plan.go.push(user)
  }
  return plan
}

/** As the device has them now, own waiting writes included; who is no longer here is left out. */
export async function readChosen(ids: readonly Id[]): Promise<Chosen[]> {
  const rows = await Promise.all(ids.map((id) => readRow<UserRow>(usersFills.table, id)))
  return rows.flatMap((shown) => (shown ? [chosenOf(shown.row)] : []))
}

export const chosenOf = ({ id, name, email, status }: UserRow): Chosen => ({ id, name, email, status })

export interface Verdict {
  user: Chosen
  /** Null: another move of theirs was under way. */
  result: Result<unknown> | null
}

/** Recorded in one transaction of the device and sent in one request (protocol 23). */
export const atOnce = 50

/** Each an ordinary write of its own, queued and judged by itself; `told` as they are answered. */
export const moveMany =
  (what: UserMove, users: readonly Chosen[], told: (verdicts: Verdict[]) => void): AppThunk<Verdict[]> =>
  async (dispatch) => {
    const verdicts: Verdict[] = []
    for (let at = 0; at < users.length; at += atOnce) {
      const some = users.slice(at, at + atOnce)
      verdicts.push(
        ...(await Promise.all(some.map(async (user) => ({ user, result: await dispatch(move(what, user.id)) })))),
      )
      told(verdicts)
    }
    return verdicts
  }
