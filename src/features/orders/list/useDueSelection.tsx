import { useEffect, useState } from 'react'
import { SelectAllBox, SelectionBox } from '#ui/list/SelectionBox.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { DueSelectionBar } from '#features/orders/list/DueSelectionBar.tsx'
import type { DueGroup } from '#features/orders/dues/due-groups.ts'
import { type DueItem, formatDueName } from '#features/orders/dues/due-items.ts'

interface DueSelectionOptions {
  items: readonly DueItem[]
  /** The list that the items belong to. Another list has no selected items, so that nothing hidden is paid. */
  listKey: string
  /** Names of the items that are selected at first, see `formatDueName`. */
  initialNames: readonly string[]
  getItemName: (item: DueItem) => string
  onPay: (group: DueGroup) => void
}

interface Selection {
  listKey: string
  names: readonly string[]
  rangeStart: string | null
}

const noSelection: Pick<Selection, 'names' | 'rangeStart'> = { names: [], rangeStart: null }

/** Returns the selection of the list: check boxes, and a bar with the sum. It is kept on this page only, and works offline. */
export function useDueSelection({ items, listKey, initialNames, getItemName, onPay }: DueSelectionOptions) {
  const { t } = useTranslation('orders')
  const [stored, setStored] = useState<Selection>({ listKey, names: initialNames, rangeStart: null })
  const { names, rangeStart } = stored.listKey === listKey ? stored : noSelection
  // A row that was created on this device has no number yet, so it cannot be paid.
  const pageNames = items.filter(({ due }) => typeof due.id === 'number').map(({ due }) => formatDueName(due))
  const selectedItems = items.filter(({ due }) => names.includes(formatDueName(due)))
  const count = selectedItems.length
  const select = (changedNames: readonly string[], isSelected: boolean) => {
    const otherNames = names.filter((name) => !changedNames.includes(name))
    setStored({
      listKey,
      names: isSelected ? [...otherNames, ...changedNames] : otherNames,
      rangeStart: changedNames.at(-1) ?? null,
    })
  }
  const endSelection = () => {
    setStored({ listKey, ...noSelection })
    document.querySelector<HTMLElement>('td.pick input')?.focus()
  }
  useEscape(count > 0, endSelection)
  return {
    headContent: pageNames.length > 0 && (
      <SelectAllBox
        label={t('toPay.pick.all')}
        selectedCount={count}
        count={pageNames.length}
        onSelect={(isSelected) => select(pageNames, isSelected)}
      />
    ),
    cell: (item: DueItem) => {
      const name = formatDueName(item.due)
      if (!pageNames.includes(name)) return null
      return (
        <SelectionBox
          label={t('toPay.pick.one', { name: getItemName(item) })}
          rowKey={name}
          pageKeys={pageNames}
          rangeStart={rangeStart}
          isSelected={names.includes(name)}
          onSelect={select}
        />
      )
    },
    selectionText: count > 0 ? t('toPay.pick.counted', { count, number: formatNumber(count) }) : undefined,
    bar: count > 0 && <DueSelectionBar items={selectedItems} onPay={onPay} onEnd={endSelection} />,
  }
}

/** Escape ends the selection, unless it closes a dialog or a menu. */
function useEscape(isActive: boolean, onEscape: () => void) {
  useEffect(() => {
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && isActive && !defaultPrevented && !document.querySelector('[role=dialog]')) onEscape()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}
