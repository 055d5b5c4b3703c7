import { type Ref, useCallback, useEffect, useMemo, useState } from 'react'
import { listCompanies } from '#contract/orders.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { normaliseText } from '#domain/text.ts'
import { readAllAgedResponses } from '#local/lists/responses.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { Combobox } from '#ui/form/Combobox.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { useTranslation } from 'react-i18next'
import { type CompanyChoice, findCompanies } from '#features/orders/slice.ts'

const debounceMs = 250
const maxMatches = 20

interface Props {
  label: string
  help?: string
  placeholder?: string
  error?: string | null | undefined
  optional?: boolean
  /** Null: none is chosen. */
  companyId: number | null
  onChoose: (id: number | null) => void
  ref?: Ref<HTMLInputElement>
}

/** Finds a customer by a part of the code or name: among those that the device has heard of, and those that the server adds. */
export function CompanyPicker({ companyId, onChoose, ...field }: Props) {
  const { t } = useTranslation('orders')
  const [searchText, setSearchText] = useState('')
  const { matches, isAwaited, problem } = useCompanyMatches(searchText.trim())
  const name = useCompanyName(companyId)
  const noMatchNote = matches.length === 0 && searchText.trim() !== '' && !isAwaited ? t('companies.none') : null
  const note = problem ? (isOffline(problem) ? t('companies.offline') : formatProblem(problem)) : noMatchNote
  return (
    <Combobox
      {...field}
      name="company"
      value={name ?? ''}
      choices={matches.map(({ id, code, name }) => ({ id, label: name, detail: code }))}
      note={note}
      onSearch={setSearchText}
      onChoose={onChoose}
    />
  )
}

/** The companies that the device has heard of, by code; the newest word of each counts. */
function useCachedCompanies(): readonly CompanyChoice[] {
  const responses = useLiveQuery(() => readAllAgedResponses(listCompanies), [])
  return useMemo(() => {
    const companiesById = new Map(
      responses?.flatMap(({ output }) => output.map((company) => [company.id, company] as const)),
    )
    return [...companiesById.values()].toSorted((a, b) => (a.code < b.code ? -1 : 1))
  }, [responses])
}

/** What the server finds comes to the device, and from there to here. */
function useCompanyMatches(searchText: string) {
  const dispatch = useDispatch()
  const companies = useCachedCompanies()
  const [searchResult, setSearchResult] = useState<{ searchText: string; problem: Problem | null }>({
    searchText: '',
    problem: null,
  })
  useEffect(() => {
    if (searchText === '') return
    let isActive = true
    const timer = setTimeout(async () => {
      const result = await dispatch(findCompanies({ searchText }))
      if (isActive) setSearchResult({ searchText, problem: result.kind === 'problem' ? result.problem : null })
    }, debounceMs)
    return () => {
      isActive = false
      clearTimeout(timer)
    }
  }, [dispatch, searchText])
  const searchedPart = normaliseText(searchText)
  const matches = companies
    .filter(({ code, name }) => normaliseText(`${code} ${name}`).includes(searchedPart))
    .slice(0, maxMatches)
  const isAwaited = searchResult.searchText !== searchText
  return { matches, isAwaited, problem: isAwaited ? null : searchResult.problem }
}

/** What to call a company that the address or a draft names; its number until its name is known, null for none. */
export function useCompanyName(id: number | null): string | null {
  const dispatch = useDispatch()
  const company = useCachedCompanies().find((candidate) => candidate.id === id)
  useFetch(
    useCallback(() => void (id !== null && dispatch(findCompanies({ id }))), [dispatch, id]),
    id === null,
  )
  return id === null ? null : (company?.name ?? `#${id}`)
}
