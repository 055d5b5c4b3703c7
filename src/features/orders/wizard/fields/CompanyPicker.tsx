import { type Ref, useEffect, useMemo, useState } from 'react'
import { listCompanies } from '#contract/orders.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { normaliseText } from '#domain/text.ts'
import { readAllAgedResponses } from '#local/lists/responses.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useRecord } from '#state/use-record.ts'
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
  companyId: number | null
  onChoose: (id: number | null) => void
  ref?: Ref<HTMLInputElement>
}

/** Finds a customer by part of its code or name, in the companies on the device and in those returned by the server. */
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

/** Returns the companies of all stored responses. If several contain a company, the latest is used. */
function useCachedCompanies(): readonly CompanyChoice[] {
  const responses = useLiveQuery(() => readAllAgedResponses(listCompanies), [])
  return useMemo(() => {
    const companiesById = new Map(
      responses?.flatMap(({ output }) => output.map((company) => [company.id, company] as const)),
    )
    return [...companiesById.values()].toSorted((a, b) => (a.code < b.code ? -1 : 1))
  }, [responses])
}

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
      const result = await dispatch(findCompanies(searchText))
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

/** Returns the name of a company, or its number until the name is on the device. Null if `id` is null. */
export function useCompanyName(id: number | null): string | null {
  useRecord(listCompanies, id === null ? null : { query: { id } })
  const company = useCachedCompanies().find((candidate) => candidate.id === id)
  return id === null ? null : (company?.name ?? `#${id}`)
}
