import { useEffect, useState } from 'react'
import { listUsers, type UserRow, userListSpec } from '#contract/users.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { normaliseText } from '#domain/text.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Combobox } from '#ui/form/Combobox.tsx'
import { useTranslation } from 'react-i18next'

const searchDelayMs = 250
const maxChoices = 20

interface PersonPickerProps {
  person: number | null
  companyId: number | null
  /** The displayed entries. Users named in them can be selected even if the caller may not list users. */
  rows: readonly AuditEntryRow[]
  onChoose: (id: number | null) => void
}

/** Selects a user: one of the company, from the device or the server, or one who is named in the displayed entries. */
export function PersonPicker({ person, companyId, rows, onChoose }: PersonPickerProps) {
  const { t } = useTranslation('audit')
  const [searchText, setSearchText] = useState('')
  const users = useUsers(searchText.trim(), companyId)
  const normalisedText = normaliseText(searchText.trim())
  const choicesById = new Map<number, { id: number; label: string; detail?: string }>()
  for (const { exec_user_id: id, exec_user_name: name } of rows)
    if (id !== null && name !== '' && normaliseText(name).includes(normalisedText))
      choicesById.set(id, { id, label: name })
  for (const { id, name, email } of users)
    if (typeof id === 'number') choicesById.set(id, { id, label: name, detail: email })
  const choices = [...choicesById.values()].slice(0, maxChoices)
  const name = usePersonName(person, rows)
  return (
    <Combobox
      label={t('filter.person')}
      name="person"
      value={name ?? ''}
      placeholder={t('filter.anybody')}
      choices={choices}
      note={choices.length === 0 && searchText.trim() !== '' ? t('filter.nobodyFound') : null}
      onSearch={setSearchText}
      onChoose={onChoose}
    />
  )
}

/** Finds users by text. Returns none unless the caller is an admin and the log is that of the caller's company. */
function useUsers(searchText: string, companyId: number | null): readonly UserRow[] {
  const dispatch = useDispatch()
  const { user, caller } = useSignedInSession()
  const canList = caller.admin && companyId === null
  useEffect(() => {
    if (!canList || searchText === '') return
    // Users found by the server are stored on the device and read from there.
    const input = {
      params: { companyId: user.company_id },
      query: { searchText, includedDel: true, results: maxChoices },
    }
    const timer = setTimeout(() => void dispatch(callEndpoint(listUsers, input)), searchDelayMs)
    return () => clearTimeout(timer)
  }, [dispatch, canList, searchText, user.company_id])
  const users = useLiveQuery(async () => {
    if (!canList) return []
    const filters = { includedDel: true, ...(searchText === '' ? {} : { searchText }) }
    const query = { scope: user.company_id, filters, sort: ['name', 'asc'], page: 1, results: maxChoices } as const
    return (await readList<UserRow>(userListSpec, query)).rows.map(({ row }) => row)
  }, [canList, searchText, user.company_id])
  return users ?? []
}

/** Returns the name of the selected user, the id if this device does not know the name, or null if nobody is selected. */
export function usePersonName(id: number | null, rows: readonly AuditEntryRow[]): string | null {
  const cachedUser = useLiveQuery(
    async () => (id === null ? null : await readRow<UserRow>(userListSpec.table, id)),
    [id],
  )
  if (id === null) return null
  const namedRow = rows.find((row) => row.exec_user_id === id && row.exec_user_name !== '')
  return (cachedUser?.row.id === id ? cachedUser.row.name : namedRow?.exec_user_name) ?? `#${id}`
}
