import '#features/orders/wizard-words.ts'
import { memo, useDeferredValue, useEffect, useId, useMemo, useState } from 'react'
import { type Currency, groupThousands } from '#domain/money.ts'
import { preloadDialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import {
  type SelectableModule,
  buildSelectableModules,
  filterModules,
  type ModuleToggle,
  toggleModule,
} from '#features/orders/wizard/fields/module-selection.ts'
import { ModuleChangeDialog } from '#features/orders/wizard/fields/ModuleChangeDialog.tsx'
import { type PriceChange, AmountChange } from '#features/orders/quote/AmountChange.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { findJoiningModules, type PriceData } from '#features/orders/quote/local-quote.ts'
import { getModuleNames } from '#features/orders/module-names.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { joinList } from '#ui/i18n/messages.ts'

export interface ModulePickerProps {
  priceData: PriceData
  currency: Currency
  selectedCodes: readonly string[]
  onChange: (selectedCodes: string[]) => void
  /** Returns the amount due for a selection, or null if it cannot be priced. */
  getAmount: (selectedCodes: readonly string[]) => string | null
  error?: string | null | undefined
  /** Modules in use. Removing one always needs a confirmation (contracts 2). */
  inUse?: readonly string[]
}

interface LastChange {
  names: string
  toggle: ModuleToggle
  change: PriceChange
}

const minRowsForSearch = 10

/**
 * Selects modules. One click also adds the modules that are needed, or removes those that depend on the clicked one. A dialog first shows
 * them and the new amount (M75). Hidden modules that are added automatically are listed, because they are part of the order.
 */
export function ModulePicker({
  priceData,
  currency,
  selectedCodes,
  onChange,
  getAmount,
  error,
  inUse = [],
}: ModulePickerProps) {
  const { t } = useTranslation('wizard')
  const [text, setText] = useState('')
  const [pendingToggle, setPendingToggle] = useState<ModuleToggle | null>(null)
  const [lastChange, setLastChange] = useState<LastChange | null>(null)
  useEffect(preloadDialog, [])
  const { list, modules } = priceData
  const rows = useMemo(
    () => buildSelectableModules(list, modules, selectedCodes, currency),
    [list, modules, selectedCodes, currency],
  )
  const visibleRows = filterModules(rows, useDeferredValue(text))
  const joiningModules = findJoiningModules(modules, selectedCodes)
  const getName = (code: string) => getModuleNames(modules).get(code) ?? code
  const toPriceChange = (toggle: ModuleToggle): PriceChange => ({
    from: getAmount(selectedCodes),
    to: getAmount(toggle.selectedCodes),
  })

  function applyToggle(toggle: ModuleToggle) {
    const toggledNames = joinList([toggle.code, ...toggle.dependentCodes].map(getName))
    setLastChange({ names: toggledNames, toggle, change: toPriceChange(toggle) })
    setPendingToggle(null)
    onChange(toggle.selectedCodes)
  }
  const handlePress = useLatestCallback((code: string) => {
    const toggle = toggleModule(modules, selectedCodes, code)
    const isUsed =
      toggle.kind === 'removing' && [code, ...toggle.dependentCodes].some((usedCode) => inUse.includes(usedCode))
    if (toggle.dependentCodes.length > 0 || isUsed) setPendingToggle(toggle)
    else applyToggle(toggle)
  })

  return (
    <section className="module-choice" aria-label={t('modules.label')}>
      {rows.length >= minRowsForSearch && (
        <Field
          type="search"
          label={t('modules.search')}
          name="module-search"
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <p className="modules-count">
        {t('modules.count', { selectedCount: selectedCodes.length, all: rows.length, currency })}
      </p>
      {error && (
        <p className="field-error" role="alert">
          <Icon name="alert" size={16} />
          {error}
        </p>
      )}
      <ul className="module-list">
        {visibleRows.map((row) => (
          <ModuleRow
            key={row.code}
            row={row}
            isSelected={selectedCodes.includes(row.code)}
            needsText={
              row.missingNames !== '' || row.neededNames === '' ? '' : t('modules.needs', { names: row.neededNames })
            }
            missingText={row.missingNames === '' ? '' : t('modules.lacks', { names: row.missingNames })}
            unlistedText={t('modules.unlisted')}
            onPress={handlePress}
          />
        ))}
      </ul>
      {visibleRows.length === 0 && <p className="modules-none">{t('modules.none', { text })}</p>}
      <p className="modules-last" role="status">
        {lastChange && (
          <>
            {t(lastChange.toggle.kind === 'adding' ? 'modules.added' : 'modules.removed', { names: lastChange.names })}{' '}
            <AmountChange currency={currency} change={lastChange.change} />
          </>
        )}
      </p>
      {joiningModules.length > 0 && <JoiningModules modules={joiningModules} />}
      {pendingToggle && (
        <ModuleChangeDialog
          toggle={pendingToggle}
          getName={getName}
          currency={currency}
          change={toPriceChange(pendingToggle)}
          inUse={inUse}
          onConfirm={() => applyToggle(pendingToggle)}
          onClose={() => setPendingToggle(null)}
        />
      )}
    </section>
  )
}

function JoiningModules({ modules }: { modules: readonly { code: string; name: string }[] }) {
  const { t } = useTranslation('wizard')
  return (
    <div className="modules-auto">
      <h2>{t('modules.auto')}</h2>
      <p className="field-help">{t('modules.autoHelp')}</p>
      <ul>
        {modules.map(({ code, name }) => (
          <li key={code}>
            <span lang={getNameLang(name)}>{name}</span> <code>{code}</code> <Tag>{t('modules.autoTag')}</Tag>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ModuleRowProps {
  row: SelectableModule
  isSelected: boolean
  needsText: string
  /** Reason why the module cannot be selected. Empty if it can be selected. */
  missingText: string
  unlistedText: string
  onPress: (code: string) => void
}

/** Memoised, because a list may have 300 rows. */
const ModuleRow = memo(
  function Row({
    row: { code, name, price },
    isSelected,
    needsText,
    missingText,
    unlistedText,
    onPress,
  }: ModuleRowProps) {
    const id = useId()
    // A selected module can always be deselected.
    const isBlocked = missingText !== '' && !isSelected
    return (
      <li>
        <label className={`module${isSelected ? ' chosen' : ''}${isBlocked ? ' barred' : ''}`}>
          <span className="check box">
            <input
              type="checkbox"
              name={`module-${code}`}
              checked={isSelected}
              aria-disabled={isBlocked || undefined}
              aria-describedby={missingText === '' ? undefined : id}
              onChange={() => {
                if (!isBlocked) onPress(code)
              }}
            />
          </span>
          <span className="module-name">
            <span lang={getNameLang(name)}>{name}</span> <code>{code}</code>
            {needsText !== '' && <span className="field-help">{needsText}</span>}
            {missingText !== '' && (
              <span className="module-lacks" id={id}>
                {missingText}
              </span>
            )}
          </span>
          {price === null ? (
            <Tag tone="warning">{unlistedText}</Tag>
          ) : (
            <span className="figure">{groupThousands(price)}</span>
          )}
        </label>
      </li>
    )
  },
  (a, b) =>
    a.isSelected === b.isSelected &&
    a.needsText === b.needsText &&
    a.missingText === b.missingText &&
    a.unlistedText === b.unlistedText &&
    a.row.name === b.row.name &&
    a.row.price === b.row.price,
)
