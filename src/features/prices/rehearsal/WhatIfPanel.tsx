import { useMemo, useState } from 'react'
import { getPriceList, type PriceRow } from '#contract/prices.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { ContractTerms, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import { currencies, type Currency } from '#domain/money.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { CheckField, SelectField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { type SentList, parseWholeNumber } from '#features/prices/sent-list.ts'
import { pickTextKeys, type PriceListState } from '#features/prices/price-list-state.ts'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { PricePlot } from '#features/prices/rehearsal/PricePlot.tsx'
import { SampleFees } from '#features/prices/rehearsal/SampleFees.tsx'

interface Props {
  lists: readonly PriceRow[] | undefined
  getListState: (row: PriceRow) => PriceListState
  /** The list itself, which is not compared with itself; null: it is not kept yet. */
  ownId: RowRef | null
  list: SentList
  namesByCode: ReadonlyMap<string, string>
  uatBound: UatBound
  ShowFee: ShowFee
}

const modes = ['CONCURRENT', 'NAMED'] as const satisfies ContractTerms['user_mode'][]
const maxUsers = 999_999

/** One order that somebody thinks of, by this list and by another: its fee, why, and the fee of any number of users. Needs no network. */
export function WhatIfPanel({ lists, getListState, ownId, list, namesByCode, uatBound, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const [mode, setMode] = useState<ContractTerms['user_mode']>('CONCURRENT')
  const [users, setUsers] = useState('10')
  const [currency, setCurrency] = useState<Currency>('HKD')
  const [hasUat, setHasUat] = useState(false)
  const [modules, setModules] = useState<readonly string[]>([])
  const otherLists = lists?.filter(({ id }) => id !== ownId && typeof id === 'number') ?? []
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const listInForce = otherLists.find((row) => getListState(row) === 'inForce')
  const otherId = selectedId ?? String(listInForce?.id ?? '')
  const otherList = useLiveQuery(
    async () =>
      otherId === ''
        ? null
        : ((await readResponseOutput(getPriceList, { params: { id: Number(otherId) } })) as PriceList | null),
    [otherId],
  )
  const userCount = Math.min(Math.max(parseWholeNumber(users) ?? 1, 1), maxUsers)
  const listedCodes = useMemo(() => list.module.map(({ code }) => code), [list])
  const moduleCodes = useMemo(() => modules.filter((code) => listedCodes.includes(code)), [modules, listedCodes])
  const choice: Omit<ContractTerms, 'users'> = { user_mode: mode, modules: moduleCodes, uat: hasUat ? 1 : 0 }
  const feeInput = { currency, uatBound, choice: { ...choice, users: userCount } }
  const otherDay = otherLists.find(({ id }) => String(id) === otherId)?.effective_date ?? null
  return (
    <div className="price-what-if">
      <div className="price-choice">
        <SelectField
          label={t('whatIf.compare')}
          options={[
            { value: '', label: t('whatIf.nothing') },
            ...otherLists.map((row) => ({
              value: String(row.id),
              label: t(pickTextKeys[getListState(row)] ?? 'whatIf.list', {
                day: row.effective_date,
                desc: row.desc,
              }),
            })),
          ]}
          value={otherId}
          onChange={({ target }) => setSelectedId(target.value)}
        />
        <SelectField
          label={t('whatIf.currency')}
          options={currencies.map((value) => ({ value, label: value }))}
          value={currency}
          onChange={({ target }) => setCurrency(currencies.find((candidate) => candidate === target.value) ?? 'HKD')}
        />
        <SelectField
          label={t('whatIf.mode')}
          options={modes.map((value) => ({ value, label: t(`whatIf.${value}`) }))}
          value={mode}
          onChange={({ target }) => setMode(modes.find((candidate) => candidate === target.value) ?? 'CONCURRENT')}
        />
        <Field
          label={t('whatIf.users')}
          inputMode="numeric"
          maxLength={7}
          value={users}
          error={parseWholeNumber(users) === null || Number(users) < 1 ? t('wrong.usersFromOne') : null}
          onChange={({ target }) => setUsers(target.value)}
        />
      </div>
      <CheckField label={t('whatIf.uat')} checked={hasUat} onChange={({ target }) => setHasUat(target.checked)} />
      <details className="price-modules">
        <summary>{t('whatIf.modules', { number: moduleCodes.length, all: listedCodes.length })}</summary>
        <ul>
          {listedCodes.map((code) => (
            <li key={code}>
              <CheckField
                label={namesByCode.get(code) ?? code}
                checked={moduleCodes.includes(code)}
                onChange={({ target }) =>
                  setModules(
                    target.checked ? [...moduleCodes, code] : moduleCodes.filter((otherCode) => otherCode !== code),
                  )
                }
              />
            </li>
          ))}
        </ul>
      </details>
      <SampleFees {...{ feeInput, namesByCode, ShowFee, otherDay }} ownList={list} otherList={otherList ?? null} />
      <h3>{t('plot.title')}</h3>
      <PricePlot {...{ list, currency, uatBound, mode, moduleCodes, hasUat, otherDay }} otherList={otherList ?? null} />
    </div>
  )
}
