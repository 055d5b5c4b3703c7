import { type Ref, useCallback, useEffect, useMemo, useState } from 'react'
import { listCompanies } from '#contract/orders.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import { foldText } from '#domain/text.ts'
import { readAllAged } from '#local/lists/responses.ts'
import { useDispatch } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { Combobox } from '#ui/form/Combobox.tsx'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { useTranslation } from 'react-i18next'
import { type CompanyName, findCompanies } from '#features/orders/slice.ts'

const pauseMs = 250
const most = 20

interface Props {
  label: string
  help?: string
  placeholder?: string
  error?: string | null | undefined
  optional?: boolean
  /** Null: none is chosen. */
  company: number | null
  onChoose: (id: number | null) => void
  ref?: Ref<HTMLInputElement>
}

/** Finds a customer by a part of the code or name: among those that the device has heard of, and those that the server adds. */
export function CompanyPicker({ company, onChoose, ...field }: Props) {
  const { t } = useTranslation('orders')
  const [searched, setSearched] = useState('')
  const { found, isAwaited, problem } = useFound(searched.trim())
  const name = useCompanyName(company)
  const none = found.length === 0 && searched.trim() !== '' && !isAwaited ? t('companies.none') : null
  const note = problem ? (isOffline(problem) ? t('companies.offline') : problemWords(problem)) : none
  return (
    <Combobox
      {...field}
      name="company"
      value={name ?? ''}
      choices={found.map(({ id, code, name }) => ({ id, label: name, detail: code }))}
      note={note}
      onSearch={setSearched}
      onChoose={onChoose}
    />
  )
}

/** The companies that the device has heard of, by code; the newest word of each counts. */
function useKept(): readonly CompanyName[] {
  const answers = useLiveQuery(() => readAllAged(listCompanies), [])
  return useMemo(() => {
    const byId = new Map(answers?.flatMap(({ output }) => output.map((one) => [one.id, one] as const)))
    return [...byId.values()].toSorted((a, b) => (a.code < b.code ? -1 : 1))
  }, [answers])
}

/** What the server finds comes to the device, and from there to here. */
function useFound(searchText: string) {
  const dispatch = useDispatch()
  const kept = useKept()
  const [told, setTold] = useState<{ of: string; problem: Problem | null }>({ of: '', problem: null })
  useEffect(() => {
    if (searchText === '') return
    let counts = true
    const timer = setTimeout(async () => {
      const result = await dispatch(findCompanies({ searchText }))
      if (counts) setTold({ of: searchText, problem: result.kind === 'problem' ? result.problem : null })
    }, pauseMs)
    return () => {
      counts = false
      clearTimeout(timer)
    }
  }, [dispatch, searchText])
  const part = foldText(searchText)
  const found = kept.filter(({ code, name }) => foldText(`${code} ${name}`).includes(part)).slice(0, most)
  const isAwaited = told.of !== searchText
  return { found, isAwaited, problem: isAwaited ? null : told.problem }
}

/** What to call a company that the address or a draft names; its number until its name is known, null for none. */
export function useCompanyName(id: number | null): string | null {
  const dispatch = useDispatch()
  const known = useKept().find((one) => one.id === id)
  useFetch(
    useCallback(() => void (id !== null && dispatch(findCompanies({ id }))), [dispatch, id]),
    id === null,
  )
  return id === null ? null : (known?.name ?? `#${id}`)
}
