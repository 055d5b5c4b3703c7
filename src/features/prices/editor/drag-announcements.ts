/** What a screen reader hears while a module is drawn to another place; dnd-kit says it in English by itself. */
import type { Announcements, UniqueIdentifier } from '@dnd-kit/core'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { PriceModuleRow } from '#features/prices/price-list-form.ts'

export function useDragAnnouncements(rows: readonly PriceModuleRow[]) {
  const { t } = useTranslation('prices')
  const latestRows = useRef(rows)
  useEffect(() => {
    latestRows.current = rows
  })
  return useMemo(() => {
    const getPosition = (id: UniqueIdentifier | undefined) => latestRows.current.findIndex(({ key }) => key === id) + 1
    const getCode = (id: UniqueIdentifier) => latestRows.current.find(({ key }) => key === id)?.code ?? ''
    const announcements: Announcements = {
      onDragStart: ({ active }) => t('drag.start', { code: getCode(active.id), position: getPosition(active.id) }),
      onDragOver: ({ active, over }) => t('drag.over', { code: getCode(active.id), position: getPosition(over?.id) }),
      onDragEnd: ({ active, over }) => t('drag.end', { code: getCode(active.id), position: getPosition(over?.id) }),
      onDragCancel: ({ active }) => t('drag.cancel', { code: getCode(active.id), position: getPosition(active.id) }),
    }
    return { announcements, screenReaderInstructions: { draggable: t('drag.how') } }
  }, [t])
}
