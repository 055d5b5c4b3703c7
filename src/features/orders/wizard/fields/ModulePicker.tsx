import '#features/orders/wizard-words.ts'
import { memo, useDeferredValue, useEffect, useId, useMemo, useState } from 'react'
import { type Currency, grouped } from '#domain/money.ts'
import { preloadDialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import {
  type Choosable,
  choosable,
  joining,
  matching,
  type Toggle,
  toggled,
} from '#features/orders/wizard/fields/module-selection.ts'
import { ConfirmModules } from '#features/orders/wizard/fields/ModuleChangeDialog.tsx'
import { type AmountChange, Difference } from '#features/orders/quote/AmountChange.tsx'
import { useLatest } from '#features/orders/quote/useLatest.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import { langOf } from '#ui/i18n/name-language.ts'

export interface ModuleChoiceProps {
  market: PriceData
  currency: Currency
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** What such a choice comes to; null: it has no price. */
  amountOf: (chosen: readonly string[]) => string | null
  /** In words. */
  error?: string | null | undefined
  /** Modules in use: removing one is always asked about (contracts 2). */
  inUse?: readonly string[]
}

/** Fewer of them are seen at a glance. */
const searchedFrom = 10

/**
 * Which modules. One click brings what is needed or takes along what needs it, after both were shown with what becomes of
 * the amount (M75). Hidden modules that join by themselves are named, for they are part of what is bought.
 */
export function ModuleChoice({ market, currency, chosen, onChange, amountOf, error, inUse = [] }: ModuleChoiceProps) {
  const { t } = useTranslation('wizard')
  const [text, setText] = useState('')
  const [asked, setAsked] = useState<Toggle | null>(null)
  const [last, setLast] = useState<{ names: string; toggle: Toggle; change: AmountChange } | null>(null)
  useEffect(preloadDialog, [])
  const { list, modules } = market
  const rows = useMemo(() => choosable(list, modules, chosen, currency), [list, modules, chosen, currency])
  const shown = matching(rows, useDeferredValue(text))
  const coming = joining(modules, chosen)
  const names = useMemo(() => new Map(modules.map(({ code, name }) => [code, name])), [modules])
  const nameOf = (code: string) => names.get(code) ?? code
  const changeOf = (toggle: Toggle): AmountChange => ({ from: amountOf(chosen), to: amountOf(toggle.chosen) })

  function take(toggle: Toggle) {
    const told = [toggle.code, ...toggle.along].map(nameOf).join(', ')
    setLast({ names: told, toggle, change: changeOf(toggle) })
    setAsked(null)
    onChange(toggle.chosen)
  }
  const press = useLatest((code: string) => {
    const toggle = toggled(modules, chosen, code)
    const isUsed = toggle.kind === 'removing' && [code, ...toggle.along].some((one) => inUse.includes(one))
    if (toggle.along.length > 0 || isUsed) setAsked(toggle)
    else take(toggle)
  })

  return (
    <section className="module-choice" aria-label={t('modules.label')}>
      {rows.length >= searchedFrom && (
        <Field
          type="search"
          label={t('modules.search')}
          name="module-search"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <p className="modules-count">{t('modules.count', { chosen: chosen.length, all: rows.length, currency })}</p>
      {error && (
        <p className="field-error" role="alert">
          <Icon name="alert" size={16} />
          {error}
        </p>
      )}
      <ul className="module-list">
        {shown.map((row) => (
          <Row
            key={row.code}
            row={row}
            chosen={chosen.includes(row.code)}
            needs={row.lacks !== '' || row.needs === '' ? '' : t('modules.needs', { names: row.needs })}
            lacks={row.lacks === '' ? '' : t('modules.lacks', { names: row.lacks })}
            unlisted={t('modules.unlisted')}
            onPress={press}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="modules-none">{t('modules.none', { text })}</p>}
      <p className="modules-last" role="status">
        {last && (
          <>
            {t(last.toggle.kind === 'adding' ? 'modules.added' : 'modules.removed', { names: last.names })}{' '}
            <Difference currency={currency} change={last.change} />
          </>
        )}
      </p>
      {coming.length > 0 && (
        <div className="modules-auto">
          <h2>{t('modules.auto')}</h2>
          <p className="field-help">{t('modules.autoHelp')}</p>
          <ul>
            {coming.map(({ code, name }) => (
              <li key={code}>
                <span lang={langOf(name)}>{name}</span> <code>{code}</code> <Tag>{t('modules.autoTag')}</Tag>
              </li>
            ))}
          </ul>
        </div>
      )}
      {asked && (
        <ConfirmModules
          toggle={asked}
          nameOf={nameOf}
          currency={currency}
          change={changeOf(asked)}
          inUse={inUse}
          onConfirm={() => take(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  )
}

interface RowProps {
  row: Choosable
  chosen: boolean
  needs: string
  /** Why it cannot be chosen; empty: it can. */
  lacks: string
  unlisted: string
  onPress: (code: string) => void
}

/** Drawn again only when it changes: a list may have 300 of them. */
const Row = memo(
  function Row({ row: { code, name, price }, chosen, needs, lacks, unlisted, onPress }: RowProps) {
    const id = useId()
    // What stands chosen can be taken away.
    const isBarred = lacks !== '' && !chosen
    return (
      <li>
        <label className={`module${chosen ? ' chosen' : ''}${isBarred ? ' barred' : ''}`}>
          <span className="check box">
            <input
              type="checkbox"
              name={`module-${code}`}
              checked={chosen}
              aria-disabled={isBarred || undefined}
              aria-describedby={lacks === '' ? undefined : id}
              onChange={() => {
                if (!isBarred) onPress(code)
              }}
            />
          </span>
          <span className="module-name">
            <span lang={langOf(name)}>{name}</span> <code>{code}</code>
            {needs !== '' && <span className="field-help">{needs}</span>}
            {lacks !== '' && (
              <span className="module-lacks" id={id}>
                {lacks}
              </span>
            )}
          </span>
          {price === null ? <Tag tone="warning">{unlisted}</Tag> : <span className="figure">{grouped(price)}</span>}
        </label>
      </li>
    )
  },
  (a, b) =>
    a.chosen === b.chosen &&
    a.needs === b.needs &&
    a.lacks === b.lacks &&
    a.unlisted === b.unlisted &&
    a.row.name === b.row.name &&
    a.row.price === b.row.price,
)
