/** Whether a dialog is open: shortcuts are then disabled. */
export const isDialogOpen = () => document.querySelector('dialog, [role="dialog"], [role="alertdialog"]') !== null;
