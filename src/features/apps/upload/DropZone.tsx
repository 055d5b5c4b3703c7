import { type DragEvent, useRef, useState } from 'react'
import { shownName } from '#domain/catalogue/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { type Dropped, filesOf } from '#features/apps/upload/dropped-files.ts'

const folderFaults = ['empty', 'cut', 'unread'] as const

/** Files by drag and drop, those of folders too, or by a button; both take many at once (M155). */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useTranslation('apps')
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [dropped, setDropped] = useState<Dropped | null>(null)
  const drop = async (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    setDropped(null)
    const found = await filesOf(event.dataTransfer.items)
    setDropped(found)
    if (found.files.length > 0) onFiles(found.files)
  }
  const hold = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <section
      className={`drop-zone${over ? ' over' : ''}`}
      aria-label={t('upload.zone')}
      onDragEnter={hold}
      onDragOver={hold}
      onDragLeave={({ currentTarget, relatedTarget }) =>
        !currentTarget.contains(relatedTarget as Node | null) && setOver(false)
      }
      onDrop={(event) => void drop(event)}
    >
      <span className="empty-icon">
        <Icon name="upload" size={24} />
      </span>
      <p className="drop-words">{t('upload.drop')}</p>
      <Button kind="primary" icon="plus" onClick={() => input.current?.click()}>
        {t('upload.choose')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept=".mapp"
        aria-label={t('upload.choose')}
        onChange={({ currentTarget }) => {
          setDropped(null)
          onFiles([...(currentTarget.files ?? [])])
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
      <p className="field-help">{t('upload.help')}</p>
      <div role="alert" className="drop-refused">
        {folderFaults.map((fault) => {
          const names = dropped?.[fault] ?? []
          if (names.length === 0) return null
          return <p key={fault}>{t(`upload.folder.${fault}`, { name: names.map(shownName).join(', ') })}</p>
        })}
      </div>
    </section>
  )
}
