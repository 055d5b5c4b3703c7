import { useState } from 'react'
import type { RowRef } from '#contract/endpoint.ts'
import { listUsers, type UserRow, userListSpec } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import { type HomeDuty, getKnownState, combineStates, type OnReport, useReport } from '#ui/page/home-report.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { runUserAction } from '#features/users/slice.ts'
import { useResultToast } from '#features/users/useResultToast.ts'

const createUsersList = (name: string) =>
  createListSlice<UserRow, PageQuery>({ name, endpoint: listUsers, toQuery: (query) => query })
const homeUsersList = createUsersList('homeUsers')
const invitedUsersList = createUsersList('invitedUsers')

const allUsersView = toPageQuery(plainListState(userListSpec))
const invitedUsersView = {
  ...allUsersView,
  sortField: 'create_time',
  sortOrder: 'asc',
  statusType: userStatus.deactivated,
} as const
/** Reports the number of users, and those who have not activated their account as tasks of the admin. */
export function UserReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('users')
  const { companyId } = useSignedInSession().caller
  const users = useList(homeUsersList, { scope: companyId, view: allUsersView })
  const invitedUsers = useList(invitedUsersList, { scope: companyId, view: invitedUsersView })
  const { sentIds, send } = useInvitationMail()
  const disabledReason = useReadOnlyReason()
  const state = combineStates([getKnownState(users.freshness), getKnownState(invitedUsers.freshness)])
  // A user who was just created on this device has not been invited yet.
  const invitedRows = (invitedUsers.rows ?? []).filter(({ row }) => typeof row.id === 'number')
  // A single user is listed by name. Several are one duty, so that they do not hide payments and contracts.
  const namedRows = invitedUsers.count === 1 ? invitedRows : []
  const unnamedCount = invitedUsers.count - namedRows.length
  const duties: HomeDuty[] = namedRows.map(({ row }) => ({
    key: String(row.id),
    at: null,
    icon: 'mail',
    title: t('home.invited', { name: row.name }),
    text: sentIds.includes(row.id)
      ? t('home.sent')
      : t('home.since', { since: (row.invite_time || row.create_time).slice(0, 10) }),
    action: { label: t('home.again'), run: () => void send(row.id), disabledReason },
  }))
  if (unnamedCount > 0)
    duties.push({
      key: 'several',
      at: null,
      icon: 'mail',
      title: t('home.several', { count: unnamedCount }),
      text: t('home.severalText'),
      action: { label: t('home.look'), path: '/app/user?statusType=0' },
    })
  const note = invitedUsers.count === 0 ? '' : t('home.count', { count: invitedUsers.count })
  const figures =
    state === 'known' ? { users: { value: formatNumber(users.count), note, freshness: users.freshness } } : {}
  const refetch = () => {
    users.refetch()
    invitedUsers.refetch()
  }
  useReport({ source: 'users', state, duties, figures }, onReport)
  return <LoadProblem problem={state === 'known' ? null : (users.problem ?? invitedUsers.problem)} onRetry={refetch} />
}

/** Sends the activation mail again (M40). Queued when offline. */
function useInvitationMail() {
  const dispatch = useDispatch()
  const showResult = useResultToast()
  const [sentIds, setSentIds] = useState<readonly RowRef[]>([])
  async function send(id: RowRef) {
    const result = await dispatch(runUserAction('activatemail', id))
    if (!result) return
    showResult('activatemail', result)
    if (result.kind === 'fresh') setSentIds((previous) => [...previous, id])
  }
  return { sentIds, send }
}
