import { type DragEvent, useRef, useState } from 'react'
import { toDisplayName } from '#domain/catalogue/mapp.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { type DroppedFiles, readDroppedFiles } from '#features/apps/upload/dropped-files.ts'
import { joinList } from '#ui/i18n/messages.ts'

const folderProblems = ['empty', 'cut', 'unread'] as const

/** Takes files by drag and drop, including those in folders, or by a button. Both accept many files at once (M155). */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const { t } = useTranslation('apps')
  const input = useRef<HTMLInputElement>(null)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const [droppedFiles, setDroppedFiles] = useState<DroppedFiles | null>(null)
  const drop = async (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(false)
    setDroppedFiles(null)
    const droppedFiles = await readDroppedFiles(event.dataTransfer.items)
    setDroppedFiles(droppedFiles)
    if (droppedFiles.files.length > 0) onFiles(droppedFiles.files)
  }
  const handleDragOver = (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(true)
  }
  return (
    <section
      className={`drop-zone${isDraggedOver ? ' over' : ''}`}
      aria-label={t('upload.zone')}
      onDragEnter={handleDragOver}
      onDragOver={handleDragOver}
      onDragLeave={({ currentTarget, relatedTarget }) =>
        !currentTarget.contains(relatedTarget as Node | null) && setDraggedOver(false)
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
          setDroppedFiles(null)
          onFiles([...(currentTarget.files ?? [])])
          // Without this, the same file could not be selected again.
          currentTarget.value = ''
        }}
      />
      <p className="field-help">{t('upload.help')}</p>
      <div role="alert" className="drop-refused">
        {folderProblems.map((folderProblem) => {
          const names = droppedFiles?.[folderProblem] ?? []
          if (names.length === 0) return null
          return (
            <p key={folderProblem}>
              {t(`upload.folder.${folderProblem}`, { name: joinList(names.map(toDisplayName)) })}
            </p>
          )
        })}
      </div>
    </section>
  )
}
