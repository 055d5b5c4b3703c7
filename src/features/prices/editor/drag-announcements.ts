/** Screen reader announcements while a module is dragged. By default dnd-kit announces in English only. */
import type { Announcements, UniqueIdentifier } from '@dnd-kit/core'
import { useMemo } from 'react'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { useTranslation } from 'react-i18next'
import type { PriceModuleRow } from '#features/prices/price-list-form.ts'

export function useDragAnnouncements(rows: readonly PriceModuleRow[]) {
  const { t } = useTranslation('prices')
  const getCodeAndPosition = useLatestCallback((id: UniqueIdentifier, targetId: UniqueIdentifier | undefined) => ({
    code: rows.find(({ key }) => key === id)?.code ?? '',
    position: rows.findIndex(({ key }) => key === targetId) + 1,
  }))
  return useMemo(() => {
    const announcements: Announcements = {
      onDragStart: ({ active: { id } }) => t('drag.start', getCodeAndPosition(id, id)),
      onDragOver: ({ active, over }) => t('drag.over', getCodeAndPosition(active.id, over?.id)),
      onDragEnd: ({ active, over }) => t('drag.end', getCodeAndPosition(active.id, over?.id)),
      onDragCancel: ({ active: { id } }) => t('drag.cancel', getCodeAndPosition(id, id)),
    }
    return { announcements, screenReaderInstructions: { draggable: t('drag.how') } }
  }, [t, getCodeAndPosition])
}
