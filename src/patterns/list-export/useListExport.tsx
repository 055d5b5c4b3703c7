import { lazy, Suspense, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsActing } from '#state/use-store.ts'
import { loadMessages, type MessageNamespace } from '#ui/i18n/messages.ts'
import type { PageTool } from '#ui/page/PageTools.tsx'
import type { ExportDialogProps } from '#patterns/list-export/ExportDialog.tsx'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'

const ExportDialog = lazy(async () => {
  const messages = loadMessages('export', 'problem')
  const dialog = (await import(/* chunk: common later */ '#patterns/list-export/ExportDialog.tsx')).ExportDialog
  await messages
  return { default: dialog }
})

export interface ListExportOptions extends Omit<ExportDialogProps, 'columns' | 'onClose'> {
  /** Called when the dialog opens. */
  buildColumns: () => readonly ExportColumn<never>[]
  /** Messages of columns that only the file has. They are loaded before the dialog opens. */
  namespaces?: readonly MessageNamespace[] | undefined
}

interface ExportButton {
  label: string
  onOpen: () => void
}

/**
 * Offers a list as a file: the button for the head of the page, and the dialog while it is open. Nothing while the user acts for a customer,
 * because the device writes the file from reads that are allowed (decision 111).
 */
export function useListExport(options: ListExportOptions | null): {
  exportButton: ExportButton | undefined
  dialog: ReactNode
} {
  const { t } = useTranslation('ui')
  const [isOpen, setIsOpen] = useState(false)
  const isActing = useIsActing()
  if (!options || isActing) return { exportButton: undefined, dialog: null }
  const { buildColumns, namespaces = [], ...dialogProps } = options
  return {
    exportButton: {
      label: t('list.export'),
      onOpen: () => void loadMessages(...namespaces).then(() => setIsOpen(true)),
    },
    dialog: isOpen && (
      <Suspense fallback={null}>
        <ExportDialog {...dialogProps} columns={buildColumns()} onClose={() => setIsOpen(false)} />
      </Suspense>
    ),
  }
}

/** The button as a tool in the head of a page. On a phone it is in the menu of the page. */
export const toExportTools = (exportButton: ExportButton | undefined): PageTool[] =>
  exportButton
    ? [
        {
          key: 'export',
          label: exportButton.label,
          icon: 'install',
          hasDialog: true,
          onSelect: exportButton.onOpen,
        },
      ]
    : []
