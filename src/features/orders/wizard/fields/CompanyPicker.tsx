import { type Ref, useMemo, useState } from 'react'
import { listCompanies } from '#contract/orders.ts'
import { isOffline } from '#contract/problem.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useRecord } from '#state/use-record.ts'
import { Combobox, type ComboboxChoice } from '#ui/form/Combobox.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { useTranslation } from 'react-i18next'
import type { CompanyChoice } from '#features/orders/slice.ts'
import {
  companyChoices,
  companyQuery,
  useCompanies,
  useCompanyMatches,
} from '#features/orders/wizard/fields/company-choices.ts'
import { addRecentCompany, readRecentCompanies } from '#features/orders/wizard/fields/recent-companies.ts'

/** Maximum number of displayed names. Users who search for another one type a part of it. */
const maxMatches = 200

/** Id of the choice that selects no company. Companies have ids from 1. */
const noCompanyId = 0

interface Props {
  label: string
  help?: string
  placeholder?: string
  error?: string | null | undefined
  optional?: boolean
  /** Label of the choice that selects no company, for example "All". Without it, users clear the field. */
  noneLabel?: string
  /** False if only typing and the arrow keys open the list. */
  opensOnFocus?: boolean
  companyId: number | null
  onChoose: (id: number | null) => void
  ref?: Ref<HTMLInputElement>
}

/** Offers recent and all companies on the device, and those that the server finds by a part of their code or name. */
export function CompanyPicker({ companyId, noneLabel, opensOnFocus = true, onChoose, ...field }: Props) {
  const { t } = useTranslation('orders')
  const { user } = useSignedInSession()
  const dispatch = useDispatch()
  const [searchText, setSearchText] = useState('')
  const [recentIds, setRecentIds] = useState(() => readRecentCompanies(user.id))
  const allCompanies = useCompanies()
  // If no selection means the user's own company, it is offered once.
  const companies = useMemo(
    () => allCompanies.filter(({ id, name }) => id !== user.company_id || name !== noneLabel),
    [allCompanies, user.company_id, noneLabel],
  )
  const text = searchText.trim()
  const { matches, isAwaited, problem } = useCompanyMatches(companies, text)
  const choices = useMemo(
    () => buildChoices({ companies, matches, recentIds, noneLabel, isSearching: text !== '' }, t),
    [companies, matches, recentIds, noneLabel, text, t],
  )
  const hiddenCount = matches.length - maxMatches
  const countNote = hiddenCount > 0 ? t('companies.more', { count: hiddenCount }) : null
  const noMatchNote = matches.length === 0 && text !== '' && !isAwaited ? t('companies.none') : countNote
  const note = problem ? (isOffline(problem) ? t('companies.offline') : formatProblem(problem)) : noMatchNote
  return (
    <Combobox
      {...field}
      name="company"
      value={useCompanyName(companyId) ?? ''}
      choices={choices}
      note={note}
      opensOnFocus={opensOnFocus}
      onOpen={() => void dispatch(companyChoices.fetchList({ scope: null, query: companyQuery }))}
      onSearch={setSearchText}
      onChoose={(id) => {
        const chosenId = id === noCompanyId ? null : id
        if (chosenId !== null) addRecentCompany(user.id, chosenId)
        setRecentIds(readRecentCompanies(user.id))
        onChoose(chosenId)
      }}
    />
  )
}

interface ChoiceInput {
  companies: readonly CompanyChoice[]
  matches: readonly CompanyChoice[]
  recentIds: readonly number[]
  noneLabel: string | undefined
  isSearching: boolean
}

/** Without a search text: the choice of no company, the recent ones, and all others by name. */
function buildChoices(
  { companies, matches, recentIds, noneLabel, isSearching }: ChoiceInput,
  t: (key: 'companies.recent' | 'companies.all') => string,
): ComboboxChoice[] {
  const toChoice = ({ id, code, name }: CompanyChoice, group?: string): ComboboxChoice => ({
    id,
    label: name,
    detail: code,
    ...(group === undefined ? {} : { group }),
  })
  if (isSearching) return matches.slice(0, maxMatches).map((company) => toChoice(company))
  const companiesById = new Map(companies.map((company) => [company.id, company]))
  const recent = recentIds.flatMap((id) => companiesById.get(id) ?? [])
  const others = matches.filter(({ id }) => !recent.some((company) => company.id === id)).slice(0, maxMatches)
  const hasGroups = recent.length > 0
  return [
    ...(noneLabel === undefined ? [] : [{ id: noCompanyId, label: noneLabel }]),
    ...recent.map((company) => toChoice(company, t('companies.recent'))),
    ...others.map((company) => toChoice(company, hasGroups ? t('companies.all') : undefined)),
  ]
}

/** Returns the name of a company, or its number until the name is on the device. Null if `id` is null. */
export function useCompanyName(id: number | null): string | null {
  const company = useCompanies().find((candidate) => candidate.id === id)
  useRecord(listCompanies, id === null || company ? null : { query: { id } })
  return id === null ? null : (company?.name ?? `#${id}`)
}
