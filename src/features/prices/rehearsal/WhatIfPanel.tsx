import { useMemo, useState } from 'react'
import type { PriceRow } from '#contract/prices.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { ContractTerms, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import { currencies, type Currency } from '#domain/money.ts'
import { CheckField, SelectField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { parseWholeNumber } from '#features/prices/parse-numbers.ts'
import type { SentList } from '#features/prices/sent-list.ts'
import type { PriceListState } from '#features/prices/price-list-state.ts'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { PricePlot } from '#features/prices/rehearsal/PricePlot.tsx'
import { SampleFees } from '#features/prices/rehearsal/SampleFees.tsx'
import { useComparedList } from '#features/prices/useComparedList.ts'

interface Props {
  lists: readonly PriceRow[] | undefined
  getListState: (row: PriceRow) => PriceListState
  /** Id of this list, which is excluded from the comparison. Null if it is not saved yet. */
  ownId: RowRef | null
  list: SentList
  namesByCode: ReadonlyMap<string, string>
  uatBound: UatBound
  ShowFee: ShowFee
}

const modes = ['CONCURRENT', 'NAMED'] as const satisfies ContractTerms['user_mode'][]
const maxUsers = 999_999

/** Compares the fee of a sample order with this list and another. Needs no connection. */
export function WhatIfPanel({ lists = [], getListState, ownId, list, namesByCode, uatBound, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const [mode, setMode] = useState<ContractTerms['user_mode']>('CONCURRENT')
  const [users, setUsers] = useState('10')
  const [currency, setCurrency] = useState<Currency>('HKD')
  const [hasUat, setHasUat] = useState(false)
  const [modules, setModules] = useState<readonly string[]>([])
  const otherLists = lists.filter(({ id }) => id !== ownId)
  const {
    fullList,
    day: otherDay,
    selectProps,
  } = useComparedList({ lists: otherLists, getListState, isRequired: false })
  const otherList = fullList as PriceList | null
  const userCount = Math.min(Math.max(parseWholeNumber(users) ?? 1, 1), maxUsers)
  const listedCodes = useMemo(() => list.module.map(({ code }) => code), [list])
  const moduleCodes = useMemo(() => modules.filter((code) => listedCodes.includes(code)), [modules, listedCodes])
  const choice: Omit<ContractTerms, 'users'> = { user_mode: mode, modules: moduleCodes, uat: hasUat ? 1 : 0 }
  const feeInput = { currency, uatBound, choice: { ...choice, users: userCount } }
  return (
    <div className="price-what-if">
      <div className="price-choice">
        <SelectField
          label={t('whatIf.compare')}
          {...selectProps}
          options={[{ value: '', label: t('whatIf.nothing') }, ...selectProps.options]}
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
      <ModuleChoice {...{ listedCodes, namesByCode }} selectedCodes={moduleCodes} onChange={setModules} />
      <SampleFees {...{ feeInput, namesByCode, ShowFee, otherDay, otherList }} ownList={list} />
      <h3>{t('plot.title')}</h3>
      <PricePlot {...{ list, currency, uatBound, mode, moduleCodes, hasUat, otherDay, otherList }} />
    </div>
  )
}

interface ModuleChoiceProps {
  listedCodes: readonly string[]
  selectedCodes: readonly string[]
  namesByCode: ReadonlyMap<string, string>
  onChange: (codes: readonly string[]) => void
}

function ModuleChoice({ listedCodes, selectedCodes, namesByCode, onChange }: ModuleChoiceProps) {
  const { t } = useTranslation('prices')
  return (
    <details className="price-modules">
      <summary>{t('whatIf.modules', { number: selectedCodes.length, all: listedCodes.length })}</summary>
      <ul>
        {listedCodes.map((code) => (
          <li key={code}>
            <CheckField
              label={namesByCode.get(code) ?? code}
              checked={selectedCodes.includes(code)}
              onChange={({ target }) =>
                onChange(
                  target.checked ? [...selectedCodes, code] : selectedCodes.filter((otherCode) => otherCode !== code),
                )
              }
            />
          </li>
        ))}
      </ul>
    </details>
  )
}
