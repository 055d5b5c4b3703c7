import { type ChangeEvent, useRef, useState } from 'react'
import { isSmallEnough } from '#domain/images.ts'
import { localProblem } from '#contract/problem.ts'
import { Avatar } from '#ui/display/Avatar.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { CropDialog } from '#features/profile/components/CropDialog.tsx'
import { useFileUrl } from '#features/profile/components/usePicture.ts'
import type { Picture } from '#features/profile/form.ts'

/** A browser draws more than these, SVG above all, and its file dialog offers all there is. */
const formats = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

interface Props {
  name: string
  /** The picture that there is. */
  present: string | null
  chosen: Picture
  /** What the server found wrong with it. */
  refused: string | null
  onChoose: (picture: Picture) => void
}

/** The picture, and how another one is chosen, cut and taken away. */
export function PictureField({ name, present, chosen, refused, onChoose }: Props) {
  const { t } = useTranslation('profile')
  const input = useRef<HTMLInputElement>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const [image, setImage] = useState<HTMLImageElement | null>(null)
  const own = useFileUrl(chosen ?? null)
  const shown = chosen === undefined ? present : own
  const error = wrong ?? refused

  async function onFile({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0]
    // The same file may be chosen again.
    target.value = ''
    if (!file) return
    if (!isSmallEnough(file.size)) return setWrong(problemWords(localProblem('IMAGE_TOO_LARGE')))
    const decoded = formats.includes(file.type) ? await decode(file) : null
    setWrong(decoded ? null : t('picture.unreadable'))
    setImage(decoded)
  }
  function close() {
    if (image) URL.revokeObjectURL(image.src)
    setImage(null)
  }

  return (
    <div className="profile-picture" role="group" aria-labelledby="profile-picture">
      <span className="sr-only" id="profile-picture">
        {t('field.picture')}
      </span>
      <Avatar name={name} src={shown} />
      <div>
        <div className="profile-picture-acts">
          <input ref={input} type="file" hidden accept={formats.join(',')} onChange={(event) => void onFile(event)} />
          <Button icon="upload" onClick={() => input.current?.click()}>
            {shown ? t('picture.other') : t('picture.choose')}
          </Button>
          {shown && (
            <Button icon="remove" onClick={() => onChoose(present ? null : undefined)}>
              {t('picture.remove')}
            </Button>
          )}
        </div>
        <div role="alert">
          {error && (
            <p className="field-error">
              <Icon name="alert" size={16} />
              {error}
            </p>
          )}
        </div>
        <p className="field-help">{chosen === null ? t('picture.removed') : t('picture.help')}</p>
      </div>
      {image && (
        <CropDialog
          image={image}
          onClose={close}
          onUse={(picture) => {
            onChoose(picture)
            close()
          }}
        />
      )}
    </div>
  )
}

/** Null for what the browser cannot draw. */
async function decode(file: File): Promise<HTMLImageElement | null> {
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
    if (image.naturalWidth > 0) return image
  } catch {
    // Falls through: no picture.
  }
  URL.revokeObjectURL(image.src)
  return null
}
