import type { Jobs } from './lib/jobs.ts';
import type { SendMail } from './lib/mail.ts';
import type { Storage } from './lib/storage.ts';
import { sendInvitationJob, sendPasswordResetJob } from './modules/auth/auth.jobs.ts';
import { verifyLedgerJob } from './modules/ledger/ledger.jobs.ts';
import { tidyUpJob } from './modules/staff/staff.jobs.ts';

/** Every job the worker runs. */
export function createJobs(options: { sendMail: SendMail; publicUrl: string; storage: Storage }): Jobs {
  return {
    send_mail: (message) => options.sendMail(message),
    send_password_reset: sendPasswordResetJob(options),
    send_invitation: sendInvitationJob(options),
    tidy_up: tidyUpJob,
    verify_ledger: verifyLedgerJob,
  };
}
