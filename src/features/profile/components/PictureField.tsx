import { type ChangeEvent, useRef, useState } from 'react'
import { isSmallEnough } from '#domain/images.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { Avatar } from '#ui/display/Avatar.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { CropDialog } from '#features/profile/components/CropDialog.tsx'
import { useFileUrl, usePicture } from '#features/profile/components/usePicture.ts'
import type { ProfileValues } from '#features/profile/form.ts'

/** Accepted formats. A browser can show more, for example SVG, and its file dialog would offer all of them. */
const formats = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

interface PictureFieldProps {
  name: string
  currentAvatar: string | null
  value: ProfileValues['avatar']
  error: string | undefined
  onChange: (avatar: ProfileValues['avatar']) => void
}

export function PictureField({ name, currentAvatar, value, error: serverError, onChange }: PictureFieldProps) {
  const { t } = useTranslation('profile')
  const input = useRef<HTMLInputElement>(null)
  const [fileError, setFileError] = useState<string | null>(null)
  const [image, setImage] = useState<HTMLImageElement | null>(null)
  const currentUrl = usePicture(currentAvatar)
  const newUrl = useFileUrl(value instanceof File ? value : null)
  const isChanged = value !== currentAvatar
  const displayedUrl = isChanged ? newUrl : currentUrl
  const error = fileError ?? serverError

  async function onFile({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0]
    // Lets the user select the same file again.
    target.value = ''
    if (!file) return
    if (!isSmallEnough(file.size)) return setFileError(formatProblem(createLocalProblem('IMAGE_TOO_LARGE')))
    const decodedImage = formats.includes(file.type) ? await decodeImage(file) : null
    setFileError(decodedImage ? null : t('picture.unreadable'))
    setImage(decodedImage)
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
      <Avatar name={name} src={displayedUrl} />
      <div>
        <div className="profile-picture-acts">
          <input ref={input} type="file" hidden accept={formats.join(',')} onChange={(event) => void onFile(event)} />
          <Button icon="upload" onClick={() => input.current?.click()}>
            {displayedUrl ? t('picture.other') : t('picture.choose')}
          </Button>
          {displayedUrl && (
            <Button icon="remove" onClick={() => onChange(currentUrl ? null : currentAvatar)}>
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
        <p className="field-help">{t(isChanged && value === null ? 'picture.removed' : 'picture.help')}</p>
      </div>
      {image && (
        <CropDialog
          image={image}
          onClose={close}
          onUse={(picture) => {
            onChange(picture)
            close()
          }}
        />
      )}
    </div>
  )
}

/** Returns null if the browser cannot draw the file. */
async function decodeImage(file: File): Promise<HTMLImageElement | null> {
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
    if (image.naturalWidth > 0) return image
  } catch {
    // The file is not a picture, so null is returned below.
  }
  URL.revokeObjectURL(image.src)
  return null
}
