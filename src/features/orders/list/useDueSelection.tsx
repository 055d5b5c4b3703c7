import { useEffect, useRef, useState } from 'react'
import { moveFocusFromBar, SelectAllBox, SelectionBox } from '#ui/list/SelectionBox.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useEscape } from '#ui/overlay/useEscape.ts'
import { useTranslation } from 'react-i18next'
import { DueSelectionBar } from '#features/orders/list/DueSelectionBar.tsx'
import type { DueGroup } from '#features/orders/dues/due-groups.ts'
import { type DueItem, formatDueName } from '#features/orders/dues/due-items.ts'

interface DueSelectionOptions {
  /** Undefined until they are loaded. */
  items: readonly DueItem[] | undefined
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
export function useDueSelection({
  items: loadedItems,
  listKey,
  initialNames,
  getItemName,
  onPay,
}: DueSelectionOptions) {
  const { t } = useTranslation('orders')
  const items = loadedItems ?? []
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
    moveFocusFromBar()
  }
  useEscape(endSelection, count > 0)
  // The names remain if the items were paid. They do not if the user has cleared the selection.
  useFocusAfterBar(count, loadedItems !== undefined && names.length > 0)
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

/** Moves the focus into the list after everything selected was paid, because the bar that had it is gone. */
function useFocusAfterBar(count: number, isKnown: boolean) {
  const previousCount = useRef(count)
  useEffect(() => {
    if (!isKnown) return
    const isBarGone = previousCount.current > 0 && count === 0
    previousCount.current = count
    if (!isBarGone || document.activeElement !== document.body) return
    const target =
      document.querySelector<HTMLElement>('td.pick input') ?? document.querySelector<HTMLElement>('main h1')
    target?.focus()
  }, [count, isKnown])
}
