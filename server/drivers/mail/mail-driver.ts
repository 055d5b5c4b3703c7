export interface MailAttachment {
  name: string
  /** Media type, such as `application/pdf`. */
  type: string
  bytes: Uint8Array
}

export interface MailMessage {
  /** Id of the mail, the same at every attempt. It becomes the Message-ID, so that mail programs can detect duplicates. */
  id: string
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
  attachments?: MailAttachment[]
}

export interface MailDriver {
  /** Resolves when the mail server has accepted the mail, or when the mail is stored in the folder. Throws MailProblem. */
  send(mail: MailMessage): Promise<void>
}

/** The error text contains no personal data. `isFinal` means that a retry cannot succeed. */
export class MailProblem extends Error {
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.name = 'MailProblem'
    this.isFinal = isFinal
  }
}
