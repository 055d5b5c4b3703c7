import type { ReactNode } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  sorting?: ListSorting | undefined
  children?: ReactNode
  onClear: () => void
  onClose: () => void
}

/** Filters and sort order on a phone. Changes apply immediately, as in the wide layout. */
export function FilterSheet({ sorting, children, onClear, onClose }: Props) {
  const { t } = useTranslation('ui')
  const buttons = (
    <>
      <Button kind="primary" onClick={onClose}>
        {t('filter.show')}
      </Button>
      <Button onClick={onClear}>{t('filter.clear')}</Button>
    </>
  )
  return (
    <Dialog open side="bottom" title={t('filter.title')} onClose={onClose} action={buttons} cancel={null}>
      <div className="form filter-sheet">
        {children}
        {sorting && <SortField {...sorting} />}
      </div>
    </Dialog>
  )
}

function SortField({ columns, sort, onSort }: ListSorting) {
  const { t } = useTranslation('ui')
  const sortableColumns = columns.filter((column) => column.sortable)
  return (
    <SelectField
      label={t('list.sortBy')}
      name="sort"
      options={sortableColumns.flatMap(({ key, header: field }) => [
        { value: `${key} asc`, label: t('list.order.asc', { field }) },
        { value: `${key} desc`, label: t('list.order.desc', { field }) },
      ])}
      value={sort.join(' ')}
      onChange={({ target }) => {
        const [field = '', order] = target.value.split(' ')
        onSort([field, order === 'desc' ? 'desc' : 'asc'])
      }}
    />
  )
}
