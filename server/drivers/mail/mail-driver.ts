/** What a way of sending mail must do. */

export interface MailMessage {
  /** The same at every attempt: it becomes the Message-ID, by which a mail that came twice is known. */
  id: string
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
}

export interface MailDriver {
  /** Resolves when the mail is in other hands. Throws MailProblem. */
  send(mail: MailMessage): Promise<void>
}

/** Its message names no person. `isFinal`: it will not be taken however often it is tried. */
export class MailProblem extends Error {
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.name = 'MailProblem'
    this.isFinal = isFinal
  }
}
