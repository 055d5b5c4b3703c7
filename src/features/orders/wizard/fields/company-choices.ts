/** The companies among which the provider's staff choose: the customers and the companies of stored responses, on this device. */
import { useEffect, useMemo, useState } from 'react'
import { listCompanies } from '#contract/orders.ts'
import type { Problem } from '#contract/problem.ts'
import { type CustomerRow, listCustomers } from '#contract/staff/customers.ts'
import { normaliseText } from '#domain/text.ts'
import { readAllAgedResponses } from '#local/lists/responses.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { type CompanyChoice, findCompanies } from '#features/orders/slice.ts'

const debounceMs = 250

export const companyChoices = createCompleteListSlice<CustomerRow>('companyChoices', listCustomers)

/** A small page: the request stores the complete list on the device. */
export const companyQuery = { results: 10, page: 1, sortField: 'name', sortOrder: 'asc' } as const

/**
 * Returns the user's own company and the companies on this device, sorted by name. If several sources contain a company, the list of
 * customers is used.
 */
export function useCompanies(): readonly CompanyChoice[] {
  const responses = useLiveQuery(() => readAllAgedResponses(listCompanies), [])
  const { user } = useSignedInSession()
  const customers = useLiveQuery(() => companyChoices.readPage(null, companyQuery), [])
  return useMemo(() => {
    const companiesById = new Map<number, CompanyChoice>(
      responses?.flatMap(({ output }) => output.map((company) => [company.id, company] as const)),
    )
    companiesById.set(user.company_id, { id: user.company_id, code: user.company_code, name: user.company_name })
    for (const { row } of customers?.rows ?? [])
      if (typeof row.id === 'number') companiesById.set(row.id, { id: row.id, code: row.code, name: row.name })
    return [...companiesById.values()]
      .map((company) => ({ company, key: normaliseText(company.name) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.company.id - b.company.id))
      .map(({ company }) => company)
  }, [responses, customers, user.company_id, user.company_code, user.company_name])
}

export function useCompanyMatches(companies: readonly CompanyChoice[], searchText: string) {
  const dispatch = useDispatch()
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
  const matches = useMemo(
    () => companies.filter(({ code, name }) => normaliseText(`${code} ${name}`).includes(searchedPart)),
    [companies, searchedPart],
  )
  const isAwaited = searchText !== '' && searchResult.searchText !== searchText
  return { matches, isAwaited, problem: isAwaited || searchText === '' ? null : searchResult.problem }
}
