import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BankTransferRow } from '#contract/staff/bank-transfers.ts'
import { DataList } from '#ui/list/DataList.tsx'
import type { ListColumn, RowAction } from '#ui/list/column.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { formatTransferName } from '#features/money/transfers/columns.tsx'

interface TransferListProps {
  caption: string
  rows: readonly BankTransferRow[] | undefined
  columns: ListColumn<BankTransferRow>[]
  asOf: number | null
  isFetching: boolean
  getActions: (row: BankTransferRow) => RowAction<BankTransferRow>[]
  emptyContent: ReactNode
}

/** Transfers in the order of the server, in pages. The device has all of them. */
export function TransferList({
  caption,
  rows,
  columns,
  asOf,
  isFetching,
  getActions,
  emptyContent,
}: TransferListProps) {
  const { t } = useTranslation('bank-transfers')
  const [page, setPage] = useState(1)
  const [pageSize, setPageSize] = useState(20)
  const count = rows?.length ?? 0
  return (
    <DataList
      caption={caption}
      rows={rows?.slice((page - 1) * pageSize, page * pageSize)}
      columns={columns}
      getRowKey={({ id }) => String(id)}
      getRowName={formatTransferName}
      actions={getActions}
      sort={['', 'asc']}
      onSort={() => undefined}
      isFetching={isFetching}
      emptyContent={emptyContent}
      count={count}
      formatCount={(number) => t('counted', { count: number, number: formatNumber(number) })}
      page={page}
      pageSize={pageSize}
      onPage={setPage}
      onPageSize={(size) => {
        setPageSize(size)
        setPage(1)
      }}
      freshness={{ asOf, cachedCount: count, total: count, complete: asOf !== null }}
    />
  )
}
