import { type DragEvent, useRef, useState } from 'react'
import { shownName } from '#domain/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** Files by drag and drop or by a button; both take many at once (M155). */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useTranslation('apps')
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [folders, setFolders] = useState<string[]>([])
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const { files, folders: found } = droppedIn(event.dataTransfer)
    setFolders(found)
    if (files.length > 0) onFiles(files)
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
      onDrop={drop}
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
          setFolders([])
          onFiles([...(currentTarget.files ?? [])])
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
      <p className="field-help">{t('upload.help')}</p>
      <p role="alert" className="drop-refused">
        {folders.length > 0 && t('upload.folder', { count: folders.length, name: folders.map(shownName).join(', ') })}
      </p>
    </section>
  )
}

/** A folder comes as a file that cannot be read. */
function droppedIn(data: DataTransfer): { files: File[]; folders: string[] } {
  const folders: string[] = []
  const files: File[] = []
  for (const item of data.items) {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry?.() : null
    const file = item.kind === 'file' ? item.getAsFile() : null
    if (entry?.isDirectory) folders.push(entry.name)
    else if (file) files.push(file)
  }
  return { files, folders }
}
