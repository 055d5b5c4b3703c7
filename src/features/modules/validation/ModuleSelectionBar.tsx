import { lazy, Suspense, useMemo, useState } from 'react'
import type { ModuleRow } from '#contract/modules.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useEscape } from '#ui/overlay/useEscape.ts'
import { useTranslation } from 'react-i18next'
import { joinList } from '#ui/i18n/messages.ts'

const ValidationDialog = lazy(async () => ({
  default: (await import('#features/modules/validation/ValidationDialog.tsx')).ValidationDialog,
}))

/** State of the modules that are selected for a validation. They stay selected across pages and filters. */
export function useModuleSelection() {
  const [selectedCodes, setSelectedCodes] = useState<readonly string[] | null>(null)
  const column = useMemo(() => {
    const toggle = (code: string) =>
      setSelectedCodes(
        (current) =>
          current &&
          (current.includes(code) ? current.filter((selectedCode) => selectedCode !== code) : [...current, code]),
      )
    return selectedCodes ? buildSelectionColumn(selectedCodes, toggle) : undefined
  }, [selectedCodes])
  return { selectedCodes, setSelectedCodes, column }
}

const buildSelectionColumn = (selectedCodes: readonly string[], onToggle: (code: string) => void) => ({
  headContent: <SelectionHead />,
  cell: ({ row }: OverlaidRow<ModuleRow>) => (
    <SelectionCheckbox row={row} isSelected={selectedCodes.includes(row.code)} onToggle={onToggle} />
  ),
})

const SelectionHead = () => <span className="sr-only">{useTranslation('modules').t('test.column')}</span>

function SelectionCheckbox({
  row,
  isSelected,
  onToggle,
}: {
  row: ModuleRow
  isSelected: boolean
  onToggle: (code: string) => void
}) {
  const { t } = useTranslation('modules')
  return (
    <label className="check box">
      <input
        type="checkbox"
        aria-label={t('test.one', { name: row.name })}
        checked={isSelected}
        // A module without a code is not in the catalogue yet.
        disabled={row.code === ''}
        onChange={() => onToggle(row.code)}
      />
    </label>
  )
}

interface SelectionBarProps {
  selectedCodes: readonly string[]
  onSelect: (codes: readonly string[]) => void
  onEnd: () => void
}

/** Bar of the validation mode: shows the selected modules and checks them for missing apps (contracts 2, M140). Escape ends the mode. */
export function ModuleSelectionBar({ selectedCodes, onSelect, onEnd }: SelectionBarProps) {
  const { t } = useTranslation('modules')
  const [isTesting, setIsTesting] = useState(false)
  useEscape(onEnd)
  return (
    <section className="module-chosen" aria-label={t('test.bar')}>
      <p role="status">
        {selectedCodes.length === 0
          ? t('test.choose')
          : t('test.counted', { count: selectedCodes.length, number: formatNumber(selectedCodes.length) })}
        {selectedCodes.length > 0 && <span className="module-codes">{joinList(selectedCodes)}</span>}
      </p>
      <div className="module-acts">
        <Button
          kind="primary"
          aria-haspopup="dialog"
          disabledReason={selectedCodes.length === 0 && t('test.none')}
          onClick={() => setIsTesting(true)}
        >
          {t('test.run')}
        </Button>
        {selectedCodes.length > 0 && <Button onClick={() => onSelect([])}>{t('test.clear')}</Button>}
        <Button kind="plain" icon="close" onClick={onEnd}>
          {t('test.end')}
        </Button>
      </div>
      <Suspense fallback={null}>
        {isTesting && <ValidationDialog codes={selectedCodes} onClose={() => setIsTesting(false)} />}
      </Suspense>
    </section>
  )
}
