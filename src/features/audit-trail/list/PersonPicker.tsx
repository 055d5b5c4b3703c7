import { useEffect, useState } from 'react'
import { listUsers, type UserRow, usersFills } from '#contract/users.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { foldText } from '#domain/text.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Combobox } from '#ui/form/Combobox.tsx'
import { useTranslation } from 'react-i18next'

const pauseMs = 250
const most = 20

interface Props {
  person: number | null
  /** Of the log that is shown, where it is not the own company's. */
  company: number | null
  /** The entries that are shown: who is named in them can be chosen, whoever may be listed. */
  rows: readonly AuditEntryRow[]
  onChoose: (id: number | null) => void
}

/** Who did it: among the company's users, as the device has them and the server adds, and among those whose entries are shown. */
export function PersonPicker({ person, company, rows, onChoose }: Props) {
  const { t } = useTranslation('audit')
  const [searched, setSearched] = useState('')
  const users = useUsers(searched.trim(), company)
  const part = foldText(searched.trim())
  const byId = new Map<number, { id: number; label: string; detail?: string }>()
  for (const { exec_user_id: id, exec_user_name: name } of rows)
    if (id !== null && name !== '' && foldText(name).includes(part)) byId.set(id, { id, label: name })
  for (const { id, name, email } of users) if (typeof id === 'number') byId.set(id, { id, label: name, detail: email })
  const choices = [...byId.values()].slice(0, most)
  const name = usePersonName(person, rows)
  return (
    <Combobox
      label={t('filter.person')}
      name="person"
      value={name ?? ''}
      placeholder={t('filter.anybody')}
      choices={choices}
      note={choices.length === 0 && searched.trim() !== '' ? t('filter.nobodyFound') : null}
      onSearch={setSearched}
      onChoose={onChoose}
    />
  )
}

/** Only an admin may list users, and only those of the own company. */
function useUsers(searchText: string, company: number | null): readonly UserRow[] {
  const dispatch = useDispatch()
  const { user, caller } = useSignedIn()
  const listed = caller.admin && company === null
  useEffect(() => {
    if (!listed || searchText === '') return
    // What the server finds comes to the device, and from there to here.
    const asked = { params: { companyId: user.company_id }, query: { searchText, includedDel: true, results: most } }
    const timer = setTimeout(() => void dispatch(callEndpoint(listUsers, asked)), pauseMs)
    return () => clearTimeout(timer)
  }, [dispatch, listed, searchText, user.company_id])
  const found = useLiveQuery(async () => {
    if (!listed) return []
    const filters = { includedDel: true, ...(searchText === '' ? {} : { searchText }) }
    const asked = { scope: user.company_id, filters, sort: ['name', 'asc'], page: 1, results: most } as const
    return (await readList<UserRow>(usersFills, asked)).rows.map(({ row }) => row)
  }, [listed, searchText, user.company_id])
  return found ?? []
}

/** What to call the person of the address; their number where nobody here knows the name. Null: nobody is chosen. */
export function usePersonName(id: number | null, rows: readonly AuditEntryRow[]): string | null {
  const known = useLiveQuery(async () => (id === null ? null : await readRow<UserRow>(usersFills.table, id)), [id])
  if (id === null) return null
  const shown = rows.find((row) => row.exec_user_id === id && row.exec_user_name !== '')
  return (known?.row.id === id ? known.row.name : shown?.exec_user_name) ?? `#${id}`
}
