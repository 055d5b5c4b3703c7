import { useMemo, useState } from 'react'
import { getPriceList, type PriceRow } from '#contract/prices.ts'
import type { Id } from '#contract/endpoint.ts'
import type { Choice, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import { currencies, type Currency } from '#domain/money.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { CheckField, SelectField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { type SentList, wholeOf } from '#features/prices/sent-list.ts'
import { pickWords, type Standing } from '#features/prices/in-force.ts'
import type { ShowFee } from '#features/prices/rehearsal/fee-of.ts'
import { PricePlot } from '#features/prices/rehearsal/PricePlot.tsx'
import { SampleFees } from '#features/prices/rehearsal/SampleFees.tsx'

interface Props {
  lists: readonly PriceRow[] | undefined
  standingOf: (row: PriceRow) => Standing
  /** The list itself, which is not compared with itself; null: it is not kept yet. */
  ownId: Id | null
  list: SentList
  names: ReadonlyMap<string, string>
  uatBound: UatBound
  ShowFee: ShowFee
}

const modes = ['CONCURRENT', 'NAMED'] as const satisfies Choice['user_mode'][]
const maxUsers = 999_999

/** One order that somebody thinks of, by this list and by another: its fee, why, and the fee of any number of users. Needs no network. */
export function WhatIfPanel({ lists, standingOf, ownId, list, names, uatBound, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const [mode, setMode] = useState<Choice['user_mode']>('CONCURRENT')
  const [users, setUsers] = useState('10')
  const [currency, setCurrency] = useState<Currency>('HKD')
  const [withUat, setUat] = useState(false)
  const [modules, setModules] = useState<readonly string[]>([])
  const others = lists?.filter(({ id }) => id !== ownId && typeof id === 'number') ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const inForce = others.find((row) => standingOf(row) === 'inForce')
  const other = chosen ?? String(inForce?.id ?? '')
  const otherWhole = useLiveQuery(
    async () =>
      other === '' ? null : ((await readAnswer(getPriceList, { params: { id: Number(other) } })) as PriceList | null),
    [other],
  )
  const count = Math.min(Math.max(wholeOf(users) ?? 1, 1), maxUsers)
  const listed = useMemo(() => list.module.map(({ code }) => code), [list])
  const wanted = useMemo(() => modules.filter((code) => listed.includes(code)), [modules, listed])
  const terms: Omit<Choice, 'users'> = { user_mode: mode, modules: wanted, uat: withUat ? 1 : 0 }
  const asked = { currency, uatBound, choice: { ...terms, users: count } }
  const otherDay = others.find(({ id }) => String(id) === other)?.effective_date ?? null
  return (
    <div className="price-what-if">
      <div className="price-choice">
        <SelectField
          label={t('whatIf.compare')}
          options={[
            { value: '', label: t('whatIf.nothing') },
            ...others.map((row) => ({
              value: String(row.id),
              label: t(pickWords[standingOf(row)] ?? 'whatIf.list', {
                day: row.effective_date,
                desc: row.desc,
              }),
            })),
          ]}
          value={other}
          onChange={({ target }) => setChosen(target.value)}
        />
        <SelectField
          label={t('whatIf.currency')}
          options={currencies.map((value) => ({ value, label: value }))}
          value={currency}
          onChange={({ target }) => setCurrency(currencies.find((one) => one === target.value) ?? 'HKD')}
        />
        <SelectField
          label={t('whatIf.mode')}
          options={modes.map((value) => ({ value, label: t(`whatIf.${value}`) }))}
          value={mode}
          onChange={({ target }) => setMode(modes.find((one) => one === target.value) ?? 'CONCURRENT')}
        />
        <Field
          label={t('whatIf.users')}
          inputMode="numeric"
          maxLength={7}
          value={users}
          error={wholeOf(users) === null || Number(users) < 1 ? t('wrong.usersFromOne') : null}
          onChange={({ target }) => setUsers(target.value)}
        />
      </div>
      <CheckField label={t('whatIf.uat')} checked={withUat} onChange={({ target }) => setUat(target.checked)} />
      <details className="price-modules">
        <summary>{t('whatIf.modules', { number: wanted.length, all: listed.length })}</summary>
        <ul>
          {listed.map((code) => (
            <li key={code}>
              <CheckField
                label={names.get(code) ?? code}
                checked={wanted.includes(code)}
                onChange={({ target }) =>
                  setModules(target.checked ? [...wanted, code] : wanted.filter((one) => one !== code))
                }
              />
            </li>
          ))}
        </ul>
      </details>
      <SampleFees {...{ asked, names, ShowFee, otherDay }} own={list} other={otherWhole ?? null} />
      <h3>{t('plot.title')}</h3>
      <PricePlot {...{ list, currency, uatBound, mode, wanted, withUat, otherDay }} other={otherWhole ?? null} />
    </div>
  )
}
