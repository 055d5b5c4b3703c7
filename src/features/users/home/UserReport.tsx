import { useState } from 'react'
import type { Id } from '#contract/endpoint.ts'
import { listUsers, type UserRow, usersFills } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { readList } from '#local/lists/read-list.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { pageOf, plainListing } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import { type Duty, knownOf, knownTogether, type OnReport, useReport } from '#ui/page/home-report.ts'
import { number } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { move } from '#features/users/slice.ts'
import { useTellOf } from '#features/users/useResultToast.ts'

const usersOf = (name: string) =>
  createListSlice<UserRow, PageQuery>({ name, endpoint: listUsers, read: readList, queryOf: (query) => query })
const allUsers = usersOf('homeUsers')
const invitedUsers = usersOf('invitedUsers')

const every = pageOf(plainListing(usersFills))
const invited = { ...every, sortField: 'create_time', sortOrder: 'asc', statusType: userStatus.deactivated } as const
/** So many are named, the oldest first; the others are counted. */
const named = 3

/** How many users there are, and who has not activated the account: the admin's to look after. */
export function UserReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('users')
  const { companyId } = useSignedIn().caller
  const all = useList(allUsers, { scope: companyId, view: every })
  const waiting = useList(invitedUsers, { scope: companyId, view: invited })
  const { sent, send } = useSending()
  const state = knownTogether([knownOf(all.freshness), knownOf(waiting.freshness)])
  // Who was created here a moment ago has not been invited yet.
  const known = (waiting.rows ?? []).filter(({ row }) => typeof row.id === 'number')
  const shown = known.slice(0, waiting.count > named + 1 ? named : named + 1)
  const others = waiting.count - shown.length
  const duties: Duty[] = shown.map(({ row }) => ({
    key: String(row.id),
    at: null,
    icon: 'mail',
    title: t('home.invited', { name: row.name }),
    text: sent.includes(row.id)
      ? t('home.sent')
      : t('home.since', { since: (row.invite_time || row.create_time).slice(0, 10) }),
    action: { label: t('home.again'), run: () => void send(row.id) },
  }))
  if (others > 0)
    duties.push({
      key: 'others',
      at: null,
      icon: 'mail',
      title: t('home.others', { count: others }),
      text: t('home.othersText'),
      action: { label: t('home.look'), path: '/app/user?statusType=0' },
    })
  const note = waiting.count === 0 ? '' : t('home.count', { count: waiting.count })
  const figures = state === 'known' ? { users: { value: number(all.count), note, fresh: all.freshness } } : {}
  const refetch = () => {
    all.refetch()
    waiting.refetch()
  }
  useReport({ from: 'users', state, duties, figures }, onReport)
  return <LoadProblem problem={all.problem ?? waiting.problem} onRetry={refetch} />
}

/** The activation mail once more (M40); it waits on the device where there is no line. */
function useSending() {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const tell = useTellOf()
  const [sent, setSent] = useState<readonly Id[]>([])
  async function send(id: Id) {
    const result = await dispatch(move('activatemail', id))
    if (!result) return
    tell(t('action.activatemail'), result)
    if (result.kind === 'fresh') setSent((before) => [...before, id])
  }
  return { sent, send }
}
